//! Random positions that no game reaches: boards full of promoted pieces.

use fastrand::Rng;
use megatherium_board::Board;

/// Positions that once made the engine hang, and two with very many legal moves (218 and 241).
pub const HOSTILE: [&str; 5] = [
    "qqqqkqqq/qqqqqqqq/8/8/8/8/QQQQQQQQ/QQQQKQQQ w - - 0 1",
    "R2K1b1Q/6Qq/r1qq3q/1QnnQ3/3q2BB/2q2QQq/Q1rbq3/3kN2q w - - 0 1",
    "nnnnknnn/nnnnnnnn/8/8/8/8/NNNNNNNN/NNNNKNNN b - - 0 1",
    "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1",
    "K1Q4Q/Q4Q2/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Qpp/2QQ1Qnk w - - 0 1",
];

/// A legal position with up to 16 men a side, most of them promoted.
pub fn crowded(rng: &mut Rng) -> Board {
    loop {
        let men = [army(rng), army(rng)];
        if let Some(board) = place(rng, &men) {
            return board;
        }
    }
}

/// Up to 15 men besides the king, as FEN letters: one kind, any kinds, or pawns that may have
/// promoted.
fn army(rng: &mut Rng) -> Vec<char> {
    let count = if rng.bool() { 15 } else { rng.usize(..=15) };
    let one = rng.choice(['Q', 'Q', 'R', 'B', 'N']).unwrap_or('Q');
    let (kind, pawns) = (rng.usize(..3), rng.usize(..=8));
    let man = |index: usize, rng: &mut Rng| match kind {
        0 => one,
        1 => rng.choice(['Q', 'R', 'B', 'N']).unwrap_or('Q'),
        _ if index < pawns => 'P',
        _ => rng.choice(['Q', 'Q', 'R', 'R', 'B', 'N']).unwrap_or('Q'),
    };
    (0..count).map(|index| man(index, rng)).collect()
}

/// Places the men of White and Black (upper-case letters, kings not included) on random squares, on
/// their first two ranks or anywhere. `None` if no attempt is legal.
pub fn place(rng: &mut Rng, men: &[Vec<char>; 2]) -> Option<Board> {
    (0..40).find_map(|attempt| {
        let mut squares: [Option<char>; 64] = [None; 64];
        for (men, black) in men.iter().zip([false, true]) {
            let home = if attempt % 2 == 0 { 2 } else { 8 };
            put(rng, &mut squares, men, home, black)?;
        }
        let side = if rng.bool() { 'w' } else { 'b' };
        Board::from_fen(&format!("{} {side} - - 0 1", ranks(&squares))).ok()
    })
}

fn put(
    rng: &mut Rng,
    squares: &mut [Option<char>; 64],
    men: &[char],
    home: usize,
    black: bool,
) -> Option<()> {
    let mut free: Vec<usize> = (0..8 * home)
        .map(|index| if black { 63 - index } else { index })
        .filter(|index| squares[*index].is_none())
        .collect();
    rng.shuffle(&mut free);
    let mut settle = |letter: char, allowed: &dyn Fn(usize) -> bool| {
        let at = free.iter().position(|square| allowed(*square))?;
        let letter = if black { letter.to_ascii_lowercase() } else { letter };
        squares[free.swap_remove(at)] = Some(letter);
        Some(())
    };
    let back = if black { 56..64 } else { 0..8 };
    settle('K', &|square| home == 8 || back.contains(&square))?;
    let (pawns, others): (Vec<char>, Vec<char>) = men.iter().partition(|man| **man == 'P');
    pawns.into_iter().try_for_each(|pawn| settle(pawn, &|square| (8..56).contains(&square)))?;
    others.into_iter().try_for_each(|man| settle(man, &|_| true))
}

/// The first field of a FEN.
fn ranks(squares: &[Option<char>; 64]) -> String {
    let rank = |rank: &[Option<char>]| -> String {
        rank.iter().map(|square| square.unwrap_or('1')).collect()
    };
    squares.chunks(8).rev().map(rank).collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crowds_are_legal_and_varied() {
        let mut rng = Rng::with_seed(1);
        let men: Vec<u32> = (0..500).map(|_| crowded(&mut rng).occupied().count()).collect();
        assert!(men.contains(&32) && men.iter().any(|men| *men < 16), "{men:?}");
        let most =
            HOSTILE.iter().map(|fen| Board::from_fen(fen).unwrap().legal_moves().len()).max();
        assert_eq!(most, Some(241));
    }
}
