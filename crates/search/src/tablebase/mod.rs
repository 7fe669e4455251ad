//! Syzygy endgame tablebases: exact results with few men on the board.
//!
//! The tree probes win/draw/loss (WDL) only, right after a capture or pawn move: the 50-move clock
//! is then zero, so the answer holds. The root also probes the distance to zeroing (DTZ), the plies
//! to the next capture or pawn move, and searches only moves that keep the result.

mod file;
mod inventory;
// The probing library takes C's `char` for signed. Where it is not, as on AArch64 with Linux, it
// does not compile, and the engine plays without tablebases. `Cargo.toml` has the same condition.
#[cfg(any(target_arch = "x86", target_arch = "x86_64", target_vendor = "apple", windows))]
mod library;
#[cfg(not(any(target_arch = "x86", target_arch = "x86_64", target_vendor = "apple", windows)))]
#[path = "absent.rs"]
mod library;

use std::fmt;
use std::sync::Arc;

use megatherium_board::{Board, Move};

#[cfg(test)]
pub use self::file::tests::knight;
pub use self::inventory::Inventory;
use self::library::Tables;
use crate::request::{Options, Root};
use crate::score::{DRAW, Score, TB_WIN};

/// A result with perfect play, for the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wdl {
    /// Lost.
    Loss,
    /// Lost, but for the 50-move rule.
    BlessedLoss,
    /// Drawn.
    Draw,
    /// Won, but for the 50-move rule.
    CursedWin,
    /// Won.
    Win,
}

/// A move of the root with its result and its distance to zeroing.
struct RootMove {
    mv: Move,
    wdl: Wdl,
    dtz: u32,
}

/// Why tablebases could not be loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TablebaseError {
    /// A part of the path is not a readable folder.
    NotAFolder(String),
    /// No table file in any of the folders.
    NothingFound(String),
    /// A file is not a table, or the files could not be used.
    Unusable(String),
    /// The caller cancelled the loading.
    Cancelled,
    /// Another engine of this process has loaded tablebases. The library holds one set per process.
    InUse,
    /// This build has no library that reads them.
    Unsupported,
}

impl fmt::Display for TablebaseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TablebaseError::NotAFolder(path) => {
                write!(f, "tablebases: '{path}' is not a readable folder")
            }
            TablebaseError::NothingFound(path) => {
                write!(f, "tablebases: no .rtbw file in '{path}'")
            }
            TablebaseError::Unusable(path) => {
                write!(f, "tablebases: '{path}' is not a usable table")
            }
            TablebaseError::Cancelled => write!(f, "tablebases: loading was cancelled"),
            TablebaseError::InUse => {
                write!(f, "tablebases: already loaded by another engine of this process")
            }
            TablebaseError::Unsupported => {
                write!(f, "tablebases: this build cannot read them")
            }
        }
    }
}

impl std::error::Error for TablebaseError {}

/// What the tablebases say about the root.
#[derive(Clone, Debug)]
pub struct TbRoot {
    /// The moves that keep the best result.
    pub moves: Vec<Move>,
    /// That result as a score.
    pub score: Score,
}

/// Loaded tablebases, or none.
pub struct Tablebases {
    inventory: Inventory,
    tables: Option<Tables>,
}

impl Tablebases {
    /// No tablebases.
    pub fn none() -> Tablebases {
        Tablebases { inventory: Inventory::default(), tables: None }
    }

    /// Largest number of men, kings included, that can be probed. Counted from the files: the
    /// library always reports seven.
    pub fn max_men(&self) -> u32 {
        self.inventory.max_men()
    }

    /// The files in use.
    pub fn inventory(&self) -> &Inventory {
        &self.inventory
    }

    /// Replaces `current` by the tables of an inventory. No search may be using `current`. The
    /// library holds one set per process, so the old set is closed first, and reopened if the new
    /// one cannot be loaded.
    pub(crate) fn replace(
        current: &mut Arc<Tablebases>,
        inventory: Inventory,
    ) -> Result<(), TablebaseError> {
        let old = current.inventory.clone();
        *current = Arc::new(Tablebases::none());
        let (tables, result) = match Tablebases::open(inventory) {
            Ok(tables) => (tables, Ok(())),
            Err(error) => {
                (Tablebases::open(old).unwrap_or_else(|_| Tablebases::none()), Err(error))
            }
        };
        *current = Arc::new(tables);
        result
    }

    fn open(inventory: Inventory) -> Result<Tablebases, TablebaseError> {
        if inventory.max_men() == 0 {
            return Ok(Tablebases::none());
        }
        let tables = Tables::open(&inventory.path())?;
        Ok(Tablebases { inventory, tables: Some(tables) })
    }

    /// The result of a position, if it is in the tables. Castling rights must be gone.
    pub fn wdl(&self, board: &Board) -> Option<Wdl> {
        self.tables.as_ref()?.wdl(board)
    }

    /// The root moves that keep the best result, if the root is in the tables. The DTZ probe is not
    /// thread-safe: call it between searches only.
    pub fn rank_root(&self, root: &Root, options: &Options) -> Option<TbRoot> {
        let board = &root.board;
        let tables = self.tables.as_ref()?;
        let men = board.occupied().count();
        if men > self.max_men().min(options.syzygy_probe_limit) || board.castling_rooks().any() {
            return None;
        }
        let repeated = root.history.count(board) > 0;
        let rank_of =
            |found: &RootMove| rank(found.wdl, found.dtz, board.halfmove_clock(), repeated);
        let probed = tables.root(board)?;
        let ranked: Vec<(Move, i32)> =
            probed.iter().map(|found| (found.mv, rank_of(found))).collect();
        let best = ranked.iter().map(|&(_, rank)| rank).max()?;
        let moves = ranked.iter().filter(|&&(_, rank)| rank == best).map(|&(mv, _)| mv).collect();
        let winning = if options.syzygy_50_move_rule { CERTAIN } else { CURSED };
        let score = if best >= winning {
            TB_WIN
        } else if best <= -winning {
            -TB_WIN
        } else {
            // Drawn by the 50-move rule; one point for the side that would win without it.
            DRAW + best.signum()
        };
        Some(TbRoot { moves, score })
    }
}

/// Lowest rank of a win within the 50-move rule.
const CERTAIN: i32 = 600;
/// Lowest rank of a win without the 50-move rule.
const CURSED: i32 = 100;

/// Orders results: wins within the 50-move rule, slower and cursed wins, the draw, then losses, the
/// longest first.
fn rank(wdl: Wdl, dtz: u32, clock: u32, repeated: bool) -> i32 {
    let plies = (dtz + clock).min(400) as i32;
    match wdl {
        // Wins within the rule rank equal, so that the search can choose among them. Once the game
        // has repeated a position, the shortest distance ranks first.
        Wdl::Win if plies <= 99 => 1000 - if repeated { plies } else { 0 },
        Wdl::Win | Wdl::CursedWin => CERTAIN - 1 - plies,
        Wdl::Draw => 0,
        Wdl::BlessedLoss | Wdl::Loss if plies > 99 || wdl == Wdl::BlessedLoss => {
            plies - CERTAIN + 1
        }
        Wdl::Loss | Wdl::BlessedLoss => -1000 + plies,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use super::*;

    #[test]
    fn results_are_ordered() {
        let order = [
            rank(Wdl::Win, 5, 0, false),
            rank(Wdl::Win, 90, 30, false),
            rank(Wdl::CursedWin, 130, 0, false),
            rank(Wdl::Draw, 0, 40, false),
            rank(Wdl::BlessedLoss, 130, 0, false),
            rank(Wdl::Loss, 60, 0, false),
            rank(Wdl::Loss, 6, 0, false),
        ];
        assert!(order.windows(2).all(|pair| pair[0] > pair[1]), "{order:?}");
        assert_eq!(rank(Wdl::Win, 5, 0, false), rank(Wdl::Win, 50, 0, false));
        assert!(rank(Wdl::Win, 5, 0, true) > rank(Wdl::Win, 50, 0, true));
    }

    #[test]
    fn a_bad_path_is_refused_with_a_reason() {
        let take = |path: &str| {
            Inventory::take(path, &Inventory::default(), &AtomicBool::new(false)).unwrap_err()
        };
        assert_eq!(take("/nowhere/at/all"), TablebaseError::NotAFolder("/nowhere/at/all".into()));
        let empty = tempfile::tempdir().unwrap();
        let nothing = take(empty.path().to_str().unwrap());
        assert!(matches!(nothing, TablebaseError::NothingFound(_)));
        assert_eq!(take(":"), TablebaseError::NothingFound(":".into()));
    }
}
