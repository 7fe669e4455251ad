//! Games from PGN files, as OpenBench stores them when a fleet generates training data.
//!
//! The match runner writes the engine's score of each move into a comment, `+0.35/12 0.10s`:
//! the score in pawns for the mover, or `M` and the plies to mate, and the depth. Moves from a book
//! have the comment `book`.

use crate::data::{Ending, Game, NO_SCORE, PackedBoard, Ply};
use megatherium_board::referee::{self, Outcome};
use megatherium_board::{Board, Color, KeyHistory, pgn};
use megatherium_search::score::{MATE, MATE_BOUND, Score, mate_in, mated_in};

/// Why a game is not imported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// It was not finished.
    Unfinished,
    /// It was lost on time, by a crash or by an illegal move: the result says nothing about the
    /// position. Either the record says so, or it has a winner whom neither side's last score
    /// names.
    Forfeit,
    /// No move has a score.
    Unscored,
    /// Its start has more pieces than a data file can hold.
    Start,
}

/// The game of a PGN record; `net` is what played it.
pub fn game(record: &pgn::Game, net: u32) -> Result<Game, Refused> {
    const FORFEITS: [&str; 5] =
        ["time forfeit", "abandoned", "illegal move", "unterminated", "rules infraction"];
    let outcome = record.outcome.ok_or(Refused::Unfinished)?;
    if record.tag("Termination").is_some_and(|how| FORFEITS.contains(&how)) {
        return Err(Refused::Forfeit);
    }
    let plies: Vec<Ply> = record
        .plies
        .iter()
        .map(|ply| Ply { mv: ply.mv, score: score(&ply.comment).unwrap_or(NO_SCORE) })
        .collect();
    if plies.iter().all(|ply| ply.score == NO_SCORE) {
        return Err(Refused::Unscored);
    }
    let (mut board, mut history) = (record.start, KeyHistory::new());
    for ply in &plies {
        history.push(board.key());
        board.make(ply.mv);
    }
    let over = referee::Ending::of(&board, &history);
    if over.is_none() && !is_adjudicated(&record.start, &plies, outcome) {
        return Err(Refused::Forfeit);
    }
    let ending = if over.is_some() { Ending::Played } else { Ending::Adjudicated };
    let start = PackedBoard::pack(&record.start).ok_or(Refused::Start)?;
    Ok(Game { start, outcome, ending, net, plies })
}

/// Whether scores led a referee to end an unfinished game this way. Every match runner adjudicates
/// wins far above a piece. OpenBench drops the tag that names a forfeit, so a winner whom the
/// scores do not show won by one.
fn is_adjudicated(start: &Board, plies: &[Ply], outcome: Outcome) -> bool {
    const ADVANTAGE: i16 = 200;
    let winner = match outcome {
        Outcome::White => Color::White,
        Outcome::Black => Color::Black,
        Outcome::Draw => return true,
    };
    let first = start.side_to_move();
    let last_score = |side: Color| {
        let own = plies.iter().skip(usize::from(side != first)).step_by(2);
        own.map(|ply| ply.score).rfind(|&score| score != NO_SCORE)
    };
    last_score(winner).is_some_and(|score| score >= ADVANTAGE)
        || last_score(!winner).is_some_and(|score| score <= -ADVANTAGE)
}

/// The score in the comment of a match runner, in centipawns for the mover.
fn score(comment: &str) -> Option<i16> {
    let (text, depth) = comment.split_ascii_whitespace().next()?.split_once('/')?;
    depth.trim_end_matches(',').parse::<u32>().ok()?;
    let (sign, text) = match text.strip_prefix('-') {
        Some(text) => (-1, text),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    let score: Score = if let Some(plies) = text.strip_prefix('M') {
        let plies = plies.parse::<usize>().ok()?.min((MATE - MATE_BOUND) as usize);
        if sign > 0 { mate_in(plies) } else { mated_in(plies) }
    } else {
        let pawns: f64 = text.parse().ok().filter(|pawns: &f64| pawns.is_finite())?;
        let most = f64::from(MATE_BOUND - 1);
        sign * (100.0 * pawns).round().clamp(-most, most) as Score
    };
    i16::try_from(score).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_of_match_runners() {
        for (comment, expected) in [
            ("+0.35/12 0.102s, n=12345, sd=20", Some(35)),
            ("-1.07/9", Some(-107)),
            ("0.00/31 0.5s", Some(0)),
            ("+0.35/12, line=x", Some(35)),
            ("+M5/20 0.01s, White mates", Some(mate_in(5) as i16)),
            ("-M4/20", Some(mated_in(4) as i16)),
            ("+319.99/40", Some(31_753)),
            ("book", None),
            ("unknown", None),
            ("", None),
            ("/0 0.000s", None),
            ("ERR/1", None),
            ("nan/3", None),
            ("+0.35/x", None),
            ("1/2 drawn", Some(100)),
        ] {
            assert_eq!(score(comment), expected, "{comment}");
        }
    }

    #[test]
    fn games_are_taken_or_refused() {
        let read = |text: &str| game(&pgn::read(text.as_bytes()).next().unwrap().unwrap(), 7);
        let mate = read("1. f3 {book} e5 {+0.90/8} 2. g4 {-1.00/7} Qh4# {+M1/9} 0-1").unwrap();
        let scores: Vec<i16> = mate.plies.iter().map(|ply| ply.score).collect();
        assert_eq!(scores, [NO_SCORE, 90, -100, mate_in(1) as i16]);
        assert_eq!((mate.outcome, mate.ending, mate.net), (Outcome::Black, Ending::Played, 7));
        let agreed = read("[Termination \"adjudication\"]\n1. e4 {+0.10/9} 1/2-1/2").unwrap();
        assert_eq!((agreed.outcome, agreed.ending), (Outcome::Draw, Ending::Adjudicated));
        assert_eq!(read("1. e4 {+0.10/9} *"), Err(Refused::Unfinished));
        assert_eq!(
            read("[Termination \"time forfeit\"]\n1. e4 {+0.10/9} 0-1"),
            Err(Refused::Forfeit)
        );
        assert_eq!(read("1. e4 {book} 0-1"), Err(Refused::Unscored));
        // As OpenBench stores it: without the tag that would name a forfeit.
        assert_eq!(read("1. e4 {+0.10/9} e5 {-0.10/9} 0-1"), Err(Refused::Forfeit));
        assert_eq!(read("1. e4 {+3.10/9} e5 {-0.10/9} 0-1"), Err(Refused::Forfeit));
        assert!(read("1. e4 {-0.10/9} e5 {+2.50/9} 0-1").is_ok());
        assert!(read("1. e4 {-2.50/9} e5 {book} 0-1").is_ok());
    }
}
