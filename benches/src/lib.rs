//! Benches live in `benches/`; this library holds what they share.

pub mod already_hashed;
pub mod ratio;
