//! How the net is made: self-play games on disk, and the trainer that turns them into weights.
//!
//! [`selfplay`] plays the games, [`data`] is their file format.

#![forbid(unsafe_code)]

pub mod data;
pub mod random;
pub mod selfplay;
