//! Experiments anyone can rerun. Each is a function that returns plain data; the shell prints it.

#![forbid(unsafe_code)]

pub mod table_value;
