//! Experiments anyone can rerun. Each is a function that returns plain data; [`cli`] prints it.
//!
//! The scaling lab asks three different questions about N threads, because their answers differ
//! widely:
//!
//! - How many more nodes a second? ([`real`], and [`ceiling`] for what the machine allows.)
//! - How much sooner is a depth complete? ([`real`]; [`virtual_smp`] for more threads than there
//!   are cores.)
//! - How much stronger? ([`elo`].)
//!
//! [`virtual_cluster`] answers them for several machines, [`rivals`] the first two for other
//! engines. [`identity`] ties the first two together. [`experiments`] change one thing at a time.
//! [`report`] writes the results.
//!
//! About the search itself: [`ablation`] measures what each technique is worth, [`duel`] whether a
//! change is an improvement, and [`spsa`] tunes parameters. [`builds`] compares the speed of two
//! builds.

#![forbid(unsafe_code)]

pub mod ablation;
pub mod builds;
pub mod ceiling;
pub mod cli;
pub mod crew;
pub mod duel;
pub mod elo;
pub mod equal_strength;
pub mod error;
pub mod experiments;
pub mod game;
pub mod hash;
pub mod identity;
pub mod journal;
pub mod machine;
pub mod measure;
pub mod observer;
pub mod openings;
pub mod pentanomial;
pub mod positions;
pub mod process;
pub mod real;
pub mod report;
pub mod rivals;
pub mod sections;
pub mod sprt;
pub mod spsa;
pub mod stats;
pub mod table_map;
pub mod table_value;
pub mod virtual_cluster;
pub mod virtual_smp;
