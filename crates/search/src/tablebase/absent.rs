//! In the place of the probing library where it does not compile: there are no tables.

use std::convert::Infallible;

use megatherium_board::Board;

use super::{RootMove, TablebaseError, Wdl};

/// Cannot exist.
pub(super) struct Tables(Infallible);

impl Tables {
    pub(super) fn open(_: &str) -> Result<Tables, TablebaseError> {
        Err(TablebaseError::Unsupported)
    }

    pub(super) fn wdl(&self, _: &Board) -> Option<Wdl> {
        match self.0 {}
    }

    pub(super) fn root(&self, _: &Board) -> Option<Vec<RootMove>> {
        match self.0 {}
    }
}
