//! Placeholder: replaced by the crate's first commit.

#![forbid(unsafe_code)]
