//! How the net is made: self-play games on disk, and the trainer that turns them into weights.
//!
//! [`selfplay`] plays the games and [`import`] reads those of others who played for us, [`data`] is
//! their file format, [`dataset`] all of their positions in memory, [`trainer`] the arithmetic,
//! [`verify`] the examination.

#![forbid(unsafe_code)]

pub mod data;
pub mod dataset;
pub mod import;
pub mod sample;
pub mod selfplay;
pub mod svg;
pub mod trainer;
pub mod verify;
pub mod wdl_fit;
