//! Deferred moves: what another thread is searching right now is put off to the end of the list.
//!
//! By then the other thread may be done, and the answer is in the table. This is a simple form of
//! ABDADA: threads divide the moves of a node among themselves without talking to each other.

use megatherium_board::Move;
use megatherium_tt::Marks;

use super::search::Search;

/// Moves of one node that were put off, with their places in the order.
#[derive(Default)]
pub(super) struct PutOff {
    moves: [Option<(Move, usize)>; PutOff::MOST],
    len: usize,
    next: usize,
}

impl PutOff {
    /// More are not put off.
    const MOST: usize = 16;

    /// Puts a move off; false if there are too many already.
    pub(super) fn push(&mut self, mv: Move, number: usize) -> bool {
        let Some(place) = self.moves.get_mut(self.len) else { return false };
        *place = Some((mv, number));
        self.len += 1;
        true
    }

    /// The next one, with its place in the order.
    pub(super) fn next(&mut self) -> Option<(Move, Option<usize>)> {
        let (mv, number) = (*self.moves[..self.len].get(self.next)?)?;
        self.next += 1;
        Some((mv, Some(number)))
    }
}

/// A move being searched, as others see it.
#[derive(Clone, Copy)]
pub(super) struct Announcement(u64);

impl Search<'_> {
    /// The name of a move at a node of some depth, if such moves are announced.
    #[inline]
    pub(super) fn announcement(&self, key: u64, mv: Move, depth: i32) -> Option<Announcement> {
        if depth < self.defer_depth {
            return None;
        }
        let work = u64::from(mv.raw()) << 8 | depth as u64;
        // Odd multipliers spread move and depth over the word; 0 would mean no mark.
        let name =
            (key ^ work.wrapping_mul(0x9E37_79B9_7F4A_7C15)).wrapping_mul(0xD6E8_FEB8_6659_FD93);
        Some(Announcement(name | 1))
    }

    fn marks(&self) -> Option<&Marks> {
        self.job.marks.as_deref()
    }

    /// Whether another thread is searching this.
    #[inline]
    pub(super) fn is_taken(&self, announcement: Option<Announcement>) -> bool {
        announcement
            .zip(self.marks())
            .is_some_and(|(Announcement(name), marks)| marks.contains(name))
    }

    /// Tells the others.
    #[inline]
    pub(super) fn announce(&self, announcement: Option<Announcement>) {
        if let Some((Announcement(name), marks)) = announcement.zip(self.marks()) {
            marks.set(name);
        }
    }

    /// Tells the others that it is done.
    #[inline]
    pub(super) fn retract(&self, announcement: Option<Announcement>) {
        if let Some((Announcement(name), marks)) = announcement.zip(self.marks()) {
            marks.lift(name);
        }
    }
}
