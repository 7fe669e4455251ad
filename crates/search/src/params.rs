//! The numbers of the search, in one place.
//!
//! Margins are in centipawns of the network's scale, depths in plies, reductions in 1/1024 ply. They are fields, not constants,
//! so that a tuner can play one set against another and an ablation can turn a technique off, by a depth that is never reached or a
//! margin that is never crossed. `bench` is as fast as it was with constants, within what a run differs from the next.

use std::fmt;

/// A reduction or extension of one ply.
pub const PLY: i32 = 1024;

/// What is known of a parameter besides its value.
#[derive(Clone, Copy, Debug)]
pub struct Spec {
    /// Its name.
    pub name: &'static str,
    /// The value the engine plays with.
    pub default: i32,
    /// Smallest value that makes sense.
    pub min: i32,
    /// Largest value that makes sense.
    pub max: i32,
}

/// Why a parameter could not be set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ParamError {
    /// There is none of that name.
    Unknown(String),
    /// The value is out of range.
    Range(&'static str, i32, i32),
    /// Not of the form `name=value` with a whole number.
    Form(String),
}

impl fmt::Display for ParamError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ParamError::Unknown(name) => write!(f, "no search parameter is called {name:?}"),
            ParamError::Range(name, min, max) => write!(f, "{name} must be between {min} and {max}"),
            ParamError::Form(text) => write!(f, "{text:?} is not of the form name=number"),
        }
    }
}

impl std::error::Error for ParamError {}

macro_rules! params {
    ($($(#[doc = $doc:expr])+ $name:ident = $default:literal in $min:literal ..= $max:literal;)+) => {
        /// A set of values for all parameters.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct Params {
            $($(#[doc = $doc])+ pub $name: i32,)+
        }

        impl Default for Params {
            fn default() -> Self {
                Params { $($name: $default,)+ }
            }
        }

        impl Params {
            /// All parameters, in the order of their declaration.
            pub const SPECS: &[Spec] =
                &[$(Spec { name: stringify!($name), default: $default, min: $min, max: $max },)+];

            fn field(&mut self, name: &str) -> Option<&mut i32> {
                match name {
                    $(stringify!($name) => Some(&mut self.$name),)+
                    _ => None,
                }
            }
        }
    };
}

params! {
    // Move ordering
    /// Weight of the victim's value against capture history.
    victim_weight = 16 in 1..=64;
    /// A capture counts as good if it loses no more than its ordering score divided by this.
    good_capture_divisor = 64 in 8..=512;
    /// Bonus for moving a minor piece out of a pawn's attack (and penalty for moving it in).
    escape_minor = 8000 in 0..=40000;
    /// The same for a rook attacked by a minor piece or pawn.
    escape_rook = 12000 in 0..=40000;
    /// The same for a queen attacked by anything less.
    escape_queen = 20000 in 0..=40000;
    /// Bonus for a quiet check that does not lose material.
    check_bonus = 12000 in 0..=40000;
    /// What "does not lose material" means for a quiet check.
    check_see = -75 in -300..=0;
    /// Weight of the history of a move by its squares, in halves.
    weight_butterfly = 4 in 0..=16;
    /// Weight of the history of a move with the pawns as they stand, in halves.
    weight_pawn = 4 in 0..=16;
    /// Weight of the history of a move after the move before it, in halves.
    weight_continuation_1 = 4 in 0..=16;
    /// The same, for the move two plies ago.
    weight_continuation_2 = 2 in 0..=16;
    /// The same, four plies ago.
    weight_continuation_4 = 2 in 0..=16;
    /// The same, six plies ago.
    weight_continuation_6 = 1 in 0..=16;
    /// Whether the quiet move that refuted a sibling node is tried before other quiet moves.
    killers = 1 in 0..=1;

    // Aspiration windows
    /// Half-width of the first window.
    aspiration_delta = 12 in 4..=100;
    /// First depth with a window.
    aspiration_depth = 4 in 1..=128;

    // Static evaluation
    /// How much of the correction history is believed, in 1/128.
    correction_weight = 128 in 0..=512;
    /// Whether late moves that were reduced a lot are looked at again in the light of their static evaluation.
    second_thoughts = 1 in 0..=1;

    // Razoring
    /// Deepest remaining depth.
    razor_depth = 4 in 0..=12;
    /// Margin at depth zero.
    razor_base = 200 in 0..=1000;
    /// Margin per squared ply.
    razor_slope = 120 in 20..=500;

    // Reverse futility
    /// Deepest remaining depth.
    reverse_futility_depth = 9 in 0..=20;
    /// Margin per ply.
    reverse_futility_slope = 72 in 20..=250;
    /// Margin taken off when the position improves.
    reverse_futility_improving = 60 in 0..=250;

    // Null move
    /// Least remaining depth.
    null_depth = 3 in 1..=128;
    /// Static evaluation needed above beta, before depth makes up for some.
    null_margin = 120 in -100..=500;
    /// Reduction in plies.
    null_base = 4 in 2..=8;
    /// One more ply of reduction per this much depth.
    null_depth_divisor = 4 in 2..=10;
    /// One more ply of reduction per this much above beta.
    null_eval_divisor = 200 in 50..=800;
    /// From this depth a null-move cutoff is verified by a search without null moves.
    null_verify_depth = 14 in 6..=128;

    // ProbCut
    /// Least remaining depth.
    probcut_depth = 5 in 3..=128;
    /// Margin above beta.
    probcut_margin = 190 in 50..=500;
    /// Taken off the margin when the position improves.
    probcut_improving = 50 in 0..=200;

    // Internal iterative reduction
    /// Least remaining depth.
    iir_depth = 5 in 2..=128;

    // Pruning of late moves
    /// Quiet moves tried at depth zero before the rest is left out.
    late_move_base = 3 in 1..=10000;
    /// Futility margin at depth zero.
    futility_base = 90 in 0..=500;
    /// Futility margin per ply.
    futility_slope = 95 in 20..=300;
    /// Deepest (reduced) depth for futility pruning.
    futility_depth = 9 in -1..=20;
    /// History below this per ply is pruned.
    history_pruning_slope = -3500 in -20000..=-500;
    /// Deepest (reduced) depth for history pruning.
    history_pruning_depth = 5 in -1..=20;
    /// Quiet moves that lose more than this per squared ply are pruned.
    see_quiet_slope = -22 in -10000..=-5;
    /// Captures that lose more than this per ply are pruned.
    see_noisy_slope = -95 in -10000..=-20;

    // Singular extensions
    /// Least remaining depth.
    singular_depth = 7 in 4..=128;
    /// Window below the table score, per ply, in 1/64.
    singular_margin = 52 in 10..=300;
    /// Extra margin for a second ply.
    double_extension_margin = 18 in 0..=1000;
    /// Extra margin for a third.
    triple_extension_margin = 100 in 0..=1000;

    // Late-move reductions
    /// Least remaining depth.
    lmr_depth = 2 in 1..=128;
    /// Constant part for quiet moves, in 1/1024 ply.
    lmr_quiet_base = 900 in -1000..=3000;
    /// Part that grows with ln(depth)·ln(move number) for quiet moves, in 1/1024 ply.
    lmr_quiet_slope = 488 in 100..=1000;
    /// Constant part for captures.
    lmr_noisy_base = 100 in -2000..=3000;
    /// Part that grows with ln(depth)·ln(move number) for captures.
    lmr_noisy_slope = 320 in 50..=1000;
    /// More at expected cut nodes.
    lmr_cut_node = 1700 in 0..=4000;
    /// Less at nodes that are or were on a principal variation.
    lmr_table_pv = 1200 in 0..=4000;
    /// More when not improving.
    lmr_not_improving = 800 in 0..=3000;
    /// More when the table move is a capture.
    lmr_table_noisy = 800 in 0..=3000;
    /// More when the child has failed high often.
    lmr_cutoffs = 900 in 0..=3000;
    /// Less for a move that gives check.
    lmr_check = 900 in 0..=4000;
    /// Less for the killer.
    lmr_killer = 1000 in 0..=4000;
    /// One ply less per this much history of a quiet move.
    lmr_quiet_history = 10000 in 2000..=40000;
    /// One ply less per this much history of a capture.
    lmr_noisy_history = 5000 in 1000..=40000;
    /// A move this much better than the best so far is searched a ply deeper than planned.
    lmr_deeper = 40 in 0..=200;

    // Histories
    /// Bonus per ply of depth.
    history_bonus_slope = 170 in 20..=500;
    /// Bonus offset.
    history_bonus_base = -60 in -400..=400;
    /// Largest bonus.
    history_bonus_max = 1700 in 300..=4000;
    /// Penalty per ply of depth.
    history_malus_slope = 190 in 20..=500;
    /// Penalty offset.
    history_malus_base = -50 in -400..=400;
    /// Largest penalty.
    history_malus_max = 1400 in 300..=4000;

    // Quiescence
    /// A capture must bring the stand-pat score within this of alpha.
    quiescence_futility = 160 in 30..=500;
    /// Captures losing more than this are skipped.
    quiescence_see = -40 in -300..=50;
    /// Whether the first node of quiescence looks at quiet checks.
    quiescence_checks = 1 in 0..=1;
}

impl Params {
    /// The value of a parameter.
    pub fn get(&self, name: &str) -> Option<i32> {
        let mut copy = *self;
        copy.field(name).map(|value| *value)
    }

    /// Looks a parameter up; hyphens in its name count as underscores.
    pub fn spec(name: &str) -> Result<&'static Spec, ParamError> {
        let wanted = name.trim().replace('-', "_");
        let spec = Params::SPECS.iter().find(|spec| spec.name == wanted);
        spec.ok_or_else(|| ParamError::Unknown(name.to_owned()))
    }

    /// Changes a parameter, named as for [`spec`](Params::spec).
    pub fn set(&mut self, name: &str, value: i32) -> Result<(), ParamError> {
        let spec = Params::spec(name)?;
        if !(spec.min..=spec.max).contains(&value) {
            return Err(ParamError::Range(spec.name, spec.min, spec.max));
        }
        if let Some(field) = self.field(spec.name) {
            *field = value;
        }
        Ok(())
    }

    /// Applies a change written as `name=value`.
    pub fn apply(&mut self, change: &str) -> Result<(), ParamError> {
        let form = || ParamError::Form(change.to_owned());
        let (name, value) = change.split_once('=').ok_or_else(form)?;
        self.set(name, value.trim().parse().map_err(|_| form())?)
    }

    /// History bonus for a move that caused a cutoff at `depth`.
    #[inline]
    pub(crate) fn history_bonus(&self, depth: i32) -> i32 {
        (self.history_bonus_slope * depth + self.history_bonus_base).clamp(0, self.history_bonus_max)
    }

    /// History penalty for a move that was tried in vain at `depth`.
    #[inline]
    pub(crate) fn history_malus(&self, depth: i32) -> i32 {
        (self.history_malus_slope * depth + self.history_malus_base).clamp(0, self.history_malus_max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_lie_within_their_ranges() {
        let params = Params::default();
        for spec in Params::SPECS {
            assert!((spec.min..=spec.max).contains(&spec.default), "{}", spec.name);
            assert_eq!(params.get(spec.name), Some(spec.default));
        }
    }

    #[test]
    fn changes_by_name() {
        let mut params = Params::default();
        params.apply("razor-depth=2").unwrap();
        params.apply("see_quiet_slope = -30").unwrap();
        assert_eq!((params.razor_depth, params.see_quiet_slope), (2, -30));
        let refused = |change: &str| Params::default().apply(change).unwrap_err().to_string();
        assert_eq!(refused("razor_depth=99"), "razor_depth must be between 0 and 12");
        assert_eq!(refused("depth=3"), "no search parameter is called \"depth\"");
        assert_eq!(refused("razor_depth"), "\"razor_depth\" is not of the form name=number");
        assert_eq!(refused("razor_depth=x"), "\"razor_depth=x\" is not of the form name=number");
    }
}
