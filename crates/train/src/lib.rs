//! How the net is made: self-play games on disk, and the trainer that turns them into weights.
//!
//! [`data`] is the file format of the games.

#![forbid(unsafe_code)]

pub mod data;
pub mod random;
