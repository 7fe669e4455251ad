//! Training of the net: self-play games on disk, and the trainer.
//!
//! [`selfplay`] plays games, [`import`] reads them from PGN, [`data`] is their file format,
//! [`dataset`] holds their positions in memory, [`trainer`] trains, and [`verify`] compares nets.

#![forbid(unsafe_code)]

pub mod data;
pub mod dataset;
pub mod harvest;
pub mod import;
pub mod sample;
pub mod selfplay;
pub mod trainer;
pub mod verify;
pub mod wdl_fit;
