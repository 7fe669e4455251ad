//! A payload for the unit tests.

use crate::{Packed, Payload};

/// Says only that the key was stored.
#[derive(Clone, Copy)]
pub(crate) struct Nothing;

impl Payload for Nothing {
    fn pack(self) -> Packed {
        Packed::new(1)
    }

    fn unpack(_: Packed) -> Self {
        Nothing
    }
}
