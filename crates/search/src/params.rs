//! The numbers of the search, in one place.
//!
//! Margins are in centipawns of the network's scale, depths in plies, reductions in 1/1024 ply.

/// A reduction or extension of one ply.
pub const PLY: i32 = 1024;

// Move ordering
/// Weight of the victim's value against capture history.
pub const VICTIM_WEIGHT: i32 = 16;
/// A capture counts as good if it loses no more than its ordering score divided by this.
pub const GOOD_CAPTURE_DIVISOR: i32 = 64;
/// Bonus for moving a minor piece out of a pawn's attack (and penalty for moving it in).
pub const ESCAPE_MINOR: i32 = 8_000;
/// The same for a rook attacked by a minor piece or pawn.
pub const ESCAPE_ROOK: i32 = 12_000;
/// The same for a queen attacked by anything less.
pub const ESCAPE_QUEEN: i32 = 20_000;
/// Bonus for a quiet check that does not lose material.
pub const CHECK_BONUS: i32 = 12_000;
/// What "does not lose material" means for a quiet check.
pub const CHECK_SEE: i32 = -75;

// Aspiration windows
/// Half-width of the first window.
pub const ASPIRATION_DELTA: i32 = 12;
/// First depth with a window.
pub const ASPIRATION_DEPTH: i32 = 4;

// Razoring
/// Deepest remaining depth.
pub const RAZOR_DEPTH: i32 = 4;
/// Margin at depth zero.
pub const RAZOR_BASE: i32 = 200;
/// Margin per squared ply.
pub const RAZOR_SLOPE: i32 = 120;

// Reverse futility
/// Deepest remaining depth.
pub const REVERSE_FUTILITY_DEPTH: i32 = 9;
/// Margin per ply.
pub const REVERSE_FUTILITY_SLOPE: i32 = 72;
/// Margin taken off when the position improves.
pub const REVERSE_FUTILITY_IMPROVING: i32 = 60;

// Null move
/// Least remaining depth.
pub const NULL_DEPTH: i32 = 3;
/// Reduction in plies.
pub const NULL_BASE: i32 = 4;
/// One more ply of reduction per this much depth.
pub const NULL_DEPTH_DIVISOR: i32 = 4;
/// One more ply of reduction per this much above beta.
pub const NULL_EVAL_DIVISOR: i32 = 200;
/// From this depth a null-move cutoff is verified by a search without null moves.
pub const NULL_VERIFY_DEPTH: i32 = 14;

// ProbCut
/// Least remaining depth.
pub const PROBCUT_DEPTH: i32 = 5;
/// Margin above beta.
pub const PROBCUT_MARGIN: i32 = 190;
/// Taken off the margin when the position improves.
pub const PROBCUT_IMPROVING: i32 = 50;

// Pruning of late moves
/// Futility margin at depth zero.
pub const FUTILITY_BASE: i32 = 90;
/// Futility margin per ply.
pub const FUTILITY_SLOPE: i32 = 95;
/// Deepest (reduced) depth for futility pruning.
pub const FUTILITY_DEPTH: i32 = 9;
/// History below this per ply is pruned.
pub const HISTORY_PRUNING_SLOPE: i32 = -3_500;
/// Deepest (reduced) depth for history pruning.
pub const HISTORY_PRUNING_DEPTH: i32 = 5;
/// Quiet moves that lose more than this per squared ply are pruned.
pub const SEE_QUIET_SLOPE: i32 = -22;
/// Captures that lose more than this per ply are pruned.
pub const SEE_NOISY_SLOPE: i32 = -95;

// Singular extensions
/// Least remaining depth.
pub const SINGULAR_DEPTH: i32 = 7;
/// Window below the table score, per ply, in 1/64.
pub const SINGULAR_MARGIN: i32 = 52;
/// Extra margin for a second ply.
pub const DOUBLE_EXTENSION_MARGIN: i32 = 18;
/// Extra margin for a third.
pub const TRIPLE_EXTENSION_MARGIN: i32 = 100;

// Late-move reductions
/// Constant part for quiet moves, in 1/1024 ply.
pub const LMR_QUIET_BASE: f64 = 900.0;
/// Divisor of ln(depth)·ln(move number) for quiet moves.
pub const LMR_QUIET_DIVISOR: f64 = 2.1;
/// Constant part for captures.
pub const LMR_NOISY_BASE: f64 = 100.0;
/// Divisor for captures.
pub const LMR_NOISY_DIVISOR: f64 = 3.2;
/// More at expected cut nodes.
pub const LMR_CUT_NODE: i32 = 1_700;
/// Less at nodes that are or were on a principal variation.
pub const LMR_TABLE_PV: i32 = 1_200;
/// More when not improving.
pub const LMR_NOT_IMPROVING: i32 = 800;
/// More when the table move is a capture.
pub const LMR_TABLE_NOISY: i32 = 800;
/// More when the child has failed high often.
pub const LMR_CUTOFFS: i32 = 900;
/// Less for a move that gives check.
pub const LMR_CHECK: i32 = 900;
/// Less for the killer.
pub const LMR_KILLER: i32 = 1_000;
/// One ply less per this much history.
pub const LMR_HISTORY_DIVISOR: i32 = 10_000;

// Histories
/// Bonus per ply of depth.
pub const HISTORY_BONUS_SLOPE: i32 = 170;
/// Bonus offset.
pub const HISTORY_BONUS_BASE: i32 = -60;
/// Largest bonus.
pub const HISTORY_BONUS_MAX: i32 = 1_700;
/// Penalty per ply of depth.
pub const HISTORY_MALUS_SLOPE: i32 = 190;
/// Penalty offset.
pub const HISTORY_MALUS_BASE: i32 = -50;
/// Largest penalty.
pub const HISTORY_MALUS_MAX: i32 = 1_400;

// Quiescence
/// A capture must bring the stand-pat score within this of alpha.
pub const QUIESCENCE_FUTILITY: i32 = 160;
/// Captures losing more than this are skipped.
pub const QUIESCENCE_SEE: i32 = -40;
