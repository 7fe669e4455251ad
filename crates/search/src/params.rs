//! The parameters of the search: margins, depths, weights.
//!
//! Margins are in centipawns of the network's scale, depths in plies, reductions in 1/1024 ply.
//! They are fields and not constants, so that a tuner can play one set against another, and an
//! ablation can disable a technique by a depth that is never reached or a margin that is never
//! crossed. `bench` with fields was as fast as with constants, within the noise of a run.
//!
//! `megatherium params` prints the doc comment of each parameter, so each must be clear on its own.

use std::fmt;

/// One ply in the unit of reductions.
pub const PLY: i32 = 1024;

/// Name, default, range and meaning of a parameter.
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
    /// What it does, from its doc comment.
    pub meaning: &'static str,
}

/// Why a parameter could not be set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ParamError {
    /// No parameter has that name.
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
            ParamError::Range(name, min, max) => {
                write!(f, "{name} must be between {min} and {max}")
            }
            ParamError::Form(text) => write!(f, "{text:?} is not of the form name=number"),
        }
    }
}

impl std::error::Error for ParamError {}

macro_rules! params {
    ($($(#[doc = $doc:expr])+ $name:ident = $default:literal in $min:literal ..= $max:literal;)+) => {
        /// A value for every parameter.
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
                &[$(Spec {
                    name: stringify!($name),
                    default: $default,
                    min: $min,
                    max: $max,
                    meaning: concat!($($doc),+),
                },)+];

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
    /// Captures: weight of the victim's value against capture history.
    victim_weight = 16 in 1..=64;
    /// A capture is good if it loses no more than its ordering score divided by this.
    good_capture_divisor = 66 in 8..=512;
    /// Bonus for moving a minor piece out of a pawn's attack, penalty for moving it into one.
    escape_minor = 8000 in 0..=40000;
    /// Bonus or penalty for a rook that leaves or enters an attack by a minor piece or pawn.
    escape_rook = 11518 in 0..=40000;
    /// Bonus or penalty for a queen that leaves or enters an attack by any lesser piece.
    escape_queen = 21024 in 0..=40000;
    /// Ordering bonus for a quiet check that passes `check_see`.
    check_bonus = 10716 in 0..=40000;
    /// Most that a quiet check may lose by SEE and still get `check_bonus`.
    check_see = -75 in -300..=0;
    /// Weight of butterfly history (from, to) in ordering, in halves.
    weight_butterfly = 4 in 0..=16;
    /// Weight of pawn history in ordering, in halves.
    weight_pawn = 4 in 0..=16;
    /// Weight of continuation history after the previous move, in halves.
    weight_continuation_1 = 4 in 0..=16;
    /// Weight of continuation history after the move two plies ago, in halves.
    weight_continuation_2 = 2 in 0..=16;
    /// Weight of continuation history after the move four plies ago, in halves.
    weight_continuation_4 = 2 in 0..=16;
    /// Weight of continuation history after the move six plies ago, in halves.
    weight_continuation_6 = 1 in 0..=16;
    /// Killer move: 1 tries the quiet move that refuted a sibling node before other quiet moves.
    killers = 1 in 0..=1;

    // Aspiration windows
    /// Half-width of the first aspiration window.
    aspiration_delta = 14 in 4..=100;
    /// First depth with an aspiration window.
    aspiration_depth = 4 in 1..=128;

    // Static evaluation
    /// Weight of the correction by pawn structure in the static evaluation, in 1/128.
    correction_pawn = 254 in 0..=1024;
    /// Weight of the correction by minor pieces, in 1/128.
    correction_minor = 276 in 0..=1024;
    /// Weight of the corrections by each side's pieces, in 1/128.
    correction_non_pawn = 264 in 0..=1024;
    /// Weight of the correction by the last two moves, in 1/128.
    correction_continuation = 253 in 0..=1024;
    /// How much the static evaluation shrinks with the material traded, in 1/8192 per pawn's worth.
    material_scaling = 15 in 0..=100;
    /// Optimism: the evaluation favours the side that is ahead at the root by at most about this.
    optimism = 110 in 0..=400;
    /// Hindsight adjustment: 1 corrects the depth of heavily reduced moves by their evaluation.
    hindsight = 1 in 0..=1;
    /// Hindsight adjustment: a gain of evaluation above this costs the move's node a ply.
    hindsight_margin = 188 in 0..=600;

    // Razoring
    /// Razoring: largest remaining depth.
    razor_depth = 4 in 0..=12;
    /// Razoring: margin at depth zero.
    razor_base = 219 in 0..=1000;
    /// Razoring: margin per squared ply.
    razor_slope = 124 in 20..=500;

    // Reverse futility pruning
    /// Reverse futility: largest remaining depth.
    reverse_futility_depth = 9 in 0..=20;
    /// Reverse futility: margin per ply.
    reverse_futility_slope = 71 in 20..=250;
    /// Reverse futility: taken off the margin when the evaluation is improving.
    reverse_futility_improving = 53 in 0..=250;
    /// Reverse futility: added to the margin per ply at nodes that were on a principal variation.
    reverse_futility_table_pv = 19 in 0..=100;
    /// Reverse futility: taken off the margin when the opponent's last move lowered its evaluation.
    reverse_futility_worsening = 10 in 0..=100;

    // Null move
    /// Null move: smallest remaining depth.
    null_depth = 3 in 1..=128;
    /// Null move: how far above beta the evaluation must be at depth zero; it falls with depth.
    null_margin = 126 in -100..=500;
    /// Null move: how much that distance falls per ply.
    null_margin_slope = 19 in 0..=60;
    /// Null move: base reduction in plies.
    null_base = 4 in 2..=8;
    /// Null move: one more ply of reduction per this much depth.
    null_depth_divisor = 3 in 2..=10;
    /// Null move: one more ply of reduction per this much above beta.
    null_eval_divisor = 198 in 50..=800;
    /// Null move: from this depth a cutoff is verified by a search without null moves.
    null_verify_depth = 14 in 6..=128;

    // ProbCut
    /// ProbCut: smallest remaining depth.
    probcut_depth = 5 in 3..=128;
    /// ProbCut: margin above beta.
    probcut_margin = 197 in 50..=500;
    /// ProbCut: taken off the margin when the evaluation is improving.
    probcut_improving = 52 in 0..=200;

    // Internal iterative reduction
    /// Internal iterative reduction: smallest remaining depth.
    iir_depth = 5 in 2..=128;
    /// Internal iterative reduction: a table move from a search this much shallower counts as none.
    iir_table_depth = 4 in 1..=128;

    // Pruning of late moves
    /// Late-move pruning: quiet moves searched at depth zero before the rest is pruned.
    late_move_base = 3 in 1..=10000;
    /// Futility pruning: margin at depth zero.
    futility_base = 79 in 0..=500;
    /// Futility pruning: margin per ply.
    futility_slope = 87 in 20..=300;
    /// Futility pruning: largest reduced depth.
    futility_depth = 9 in -1..=20;
    /// Futility pruning: one centipawn more of margin per this much history.
    futility_history = 121 in 32..=1024;
    /// Futility pruning of captures: margin at depth zero, in addition to the captured piece.
    capture_futility_base = 155 in 0..=800;
    /// Futility pruning of captures: margin per ply.
    capture_futility_slope = 132 in 20..=500;
    /// Futility pruning of captures: largest reduced depth.
    capture_futility_depth = 6 in -1..=20;
    /// Futility pruning of captures: one centipawn more of margin per this much history.
    capture_futility_history = 33 in 8..=512;
    /// History pruning: quiet moves with a history below this per ply are pruned.
    history_pruning_slope = -3003 in -20000..=-500;
    /// History pruning: largest reduced depth.
    history_pruning_depth = 5 in -1..=20;
    /// SEE pruning: quiet moves that lose more than this per squared ply are pruned.
    see_quiet_slope = -21 in -10000..=-5;
    /// SEE pruning: captures that lose more than this per ply are pruned.
    see_noisy_slope = -86 in -10000..=-20;
    /// SEE pruning: a capture may lose one centipawn more per this much history.
    see_noisy_history = 51 in 8..=512;
    /// Pruning of late moves: history counts as 1/1024 ply of depth per this much.
    prune_history = 12 in 4..=128;

    // Singular extensions
    /// Singular extension: smallest remaining depth.
    singular_depth = 7 in 4..=128;
    /// Singular extension: window below the table score, per ply, in 1/64.
    singular_margin = 56 in 10..=300;
    /// Singular extension: extra margin for a second ply.
    double_extension_margin = 18 in 0..=1000;
    /// Singular extension: extra margin for a third ply.
    triple_extension_margin = 95 in 0..=1000;

    // Late-move reductions
    /// Late-move reductions: smallest remaining depth.
    lmr_depth = 2 in 1..=128;
    /// Reduction of quiet moves: constant part, in 1/1024 ply.
    lmr_quiet_base = 894 in -1000..=3000;
    /// Reduction of quiet moves: factor of ln(depth)·ln(move number), in 1/1024 ply.
    lmr_quiet_slope = 481 in 100..=1000;
    /// Reduction of captures: constant part, in 1/1024 ply.
    lmr_noisy_base = 103 in -2000..=3000;
    /// Reduction of captures: factor of ln(depth)·ln(move number), in 1/1024 ply.
    lmr_noisy_slope = 340 in 50..=1000;
    /// Reduce more at expected cut nodes, in 1/1024 ply.
    lmr_cut_node = 1877 in 0..=4000;
    /// Reduce more at expected cut nodes without a table move, in 1/1024 ply.
    lmr_no_table_move = 941 in 0..=3000;
    /// A first move off the principal variation loses a ply if a late move would be reduced by
    /// more than this, in 1/1024 ply.
    first_move_reduction = 3325 in 1000..=20000;
    /// Reduce less at nodes that are or were on a principal variation, in 1/1024 ply.
    lmr_table_pv = 1297 in 0..=4000;
    /// Reduce more when the evaluation is not improving, in 1/1024 ply.
    lmr_not_improving = 712 in 0..=3000;
    /// Reduce quiet moves more when the table move is a capture, in 1/1024 ply.
    lmr_table_noisy = 793 in 0..=3000;
    /// Reduce more when child nodes have failed high often, in 1/1024 ply.
    lmr_cutoffs = 925 in 0..=3000;
    /// Reduce less for a move that gives check, in 1/1024 ply.
    lmr_check = 870 in 0..=4000;
    /// Reduce less for the killer move, in 1/1024 ply.
    lmr_killer = 1007 in 0..=4000;
    /// Reduce a quiet move by one ply less per this much history.
    lmr_quiet_history = 9876 in 2000..=40000;
    /// Reduce a capture by one ply less per this much history.
    lmr_noisy_history = 4881 in 1000..=40000;
    /// A reduced move this much better than the best so far is re-searched a ply deeper.
    lmr_deeper = 42 in 0..=200;
    /// A reduced move that is better than the best so far by less than this is re-searched a ply
    /// shallower.
    lmr_shallower = 8 in 0..=60;

    // Histories
    /// History bonus per ply of depth.
    history_bonus_slope = 194 in 20..=500;
    /// History bonus at depth zero.
    history_bonus_base = -53 in -400..=400;
    /// Largest history bonus.
    history_bonus_max = 1513 in 300..=4000;
    /// History malus per ply of depth.
    history_malus_slope = 194 in 20..=500;
    /// History malus at depth zero.
    history_malus_base = -52 in -400..=400;
    /// Largest history malus.
    history_malus_max = 1399 in 300..=4000;

    /// History bonus of a quiet move per centipawn by which it raised the static evaluation.
    eval_history_weight = 8 in 0..=40;
    /// Malus of later quiet moves: after this many moves it is half of the first one's.
    malus_order = 24 in 4..=1024;
    /// History bonus of a quiet move that nothing answers, in 1/128 of the bonus at its depth.
    credit = 43 in 0..=256;
    /// The same: added per place in the move order.
    credit_order = 6 in 0..=64;
    /// The same: most that its place adds.
    credit_order_max = 80 in 0..=512;
    /// The same: added for a table move.
    credit_table_move = 30 in 0..=256;
    /// The same: added if the answers score well below their static evaluation.
    credit_below_eval = 40 in 0..=256;
    /// The same: added if the answers score well below what the move's own evaluation promised.
    credit_above_hope = 60 in 0..=256;
    /// History bonus of a capture that nothing answers, in 1/128 of the bonus at its depth.
    credit_capture = 64 in 0..=512;
    /// History malus of an early quiet move that is refuted, in 1/128 of the malus at its depth.
    blame = 64 in 0..=512;
    /// Weight of continuation histories when they learn, in 1/128.
    learn_continuation = 130 in 16..=384;
    /// Weight of the pawn history when it learns, in 1/128.
    learn_pawn = 123 in 16..=384;

    // Quiescence
    /// Quiescence: a capture must bring the stand-pat score within this of alpha.
    quiescence_futility = 153 in 30..=500;
    /// Quiescence: captures that lose more than this by SEE are skipped.
    quiescence_see = -44 in -300..=50;
    /// Quiescence: captures tried before the rest must be checks or recaptures.
    quiescence_moves = 2 in 1..=256;
    /// Quiescence: history bonus of a capture that fails high.
    quiescence_bonus = 100 in 0..=1000;
    /// Quiescence: 1 tries quiet checks at the first node.
    quiescence_checks = 1 in 0..=1;

    // Time management
    /// Moves assumed to be left in a game without time controls ahead.
    time_horizon = 24 in 10..=60;
    /// Share of the increment that is planned for each move, in percent.
    time_increment = 75 in 0..=100;
    /// Milliseconds of the clock that are never planned with, at most half of it: the machine may
    /// stop for a moment. Where the thread has to wait for a processor, more.
    time_reserve = 150 in 0..=1000;
    /// Largest share of the clock that one move may take, in percent.
    time_hard_share = 40 in 10..=80;
    /// The hard limit as a multiple of the planned time, in percent.
    time_hard_factor = 350 in 100..=1000;
    /// Largest factor by which an unsettled position stretches the planned time, in percent.
    time_max_scale = 230 in 100..=500;
    /// Factor of the planned time when the best move has just changed, in percent.
    time_unstable = 135 in 100..=250;
    /// Taken off that factor per iteration with the same best move, up to ten, in percent.
    time_stable = 6 in 0..=12;
    /// Planned time gained per centipawn lost since the last move, in 1/100 percent.
    time_fall_game = 77 in 0..=300;
    /// Planned time gained per centipawn lost in the last two iterations, in 1/100 percent.
    time_fall_search = 62 in 0..=300;
    /// Least factor by a rising score, in percent.
    time_fall_min = 75 in 30..=100;
    /// Greatest factor by a falling score, in percent.
    time_fall_max = 160 in 100..=300;
    /// Factor of the planned time when no nodes were spent on the best move, in percent.
    time_effort = 175 in 100..=300;
    /// Taken off that factor when all nodes were spent on the best move, in percent.
    time_effort_slope = 120 in 0..=250;
    /// Least factor by the share of the best move, in percent.
    time_effort_min = 50 in 20..=100;
    /// Greatest factor by the share of the best move, in percent.
    time_effort_max = 160 in 100..=300;
    /// With several threads: factor of the planned time when all prefer the same move, in percent.
    time_agreed = 100 in 50..=100;
    /// With several threads: added to that factor when no other prefers the leader's move, in
    /// percent.
    time_disagreed = 0 in 0..=200;
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
        (self.history_bonus_slope * depth + self.history_bonus_base)
            .clamp(0, self.history_bonus_max)
    }

    /// History malus for a move that was tried before the cutoff move at `depth`.
    #[inline]
    pub(crate) fn history_malus(&self, depth: i32) -> i32 {
        (self.history_malus_slope * depth + self.history_malus_base)
            .clamp(0, self.history_malus_max)
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
