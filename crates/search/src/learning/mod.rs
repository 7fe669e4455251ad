//! What a search learns as it goes: which moves work, and how far the evaluation is off.

pub mod correction;
pub mod history;

use std::collections::TryReserveError;

pub use correction::Corrections;
pub use history::{CaptureIndex, Context, Histories, PieceTo, Played, QuietIndex};

/// A table on the heap, built without passing through the stack. Fails if the memory cannot be
/// allocated.
fn table<T: Default, const N: usize>() -> Result<Box<[T; N]>, TryReserveError> {
    let mut entries: Vec<T> = Vec::new();
    entries.try_reserve_exact(N)?;
    entries.resize_with(N, T::default);
    match entries.into_boxed_slice().try_into() {
        Ok(table) => Ok(table),
        Err(_) => unreachable!("there are N entries"),
    }
}
