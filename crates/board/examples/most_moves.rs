//! How many moves can a position have? Simulated annealing over every placement of 16 men a side.
//!
//! `cargo run --release -p megatherium-board --example most_moves`
//!
//! A lower bound on the true maximum, found by search; `MoveList` holds 255 moves. Enemy men matter
//! because a pawn on the seventh rank that can capture to both sides has twelve moves, more than
//! the fifteenth queen adds.

use megatherium_board::{Bitboard, Square, attacks};

/// Men of the side that moves: what each square holds, and the squares of the enemy's men.
#[derive(Clone)]
struct Placement {
    men: [(Man, Square); 16],
    enemies: Bitboard,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Man {
    King,
    Queen,
    Rook,
    Bishop,
    Knight,
    Pawn,
}

const KINDS: [Man; 5] = [Man::Queen, Man::Rook, Man::Bishop, Man::Knight, Man::Pawn];

impl Placement {
    fn own(&self) -> Bitboard {
        self.men.iter().map(|(_, square)| *square).collect()
    }

    /// Pseudo-legal moves: an upper bound on the legal ones.
    fn moves(&self) -> u32 {
        let own = self.own();
        let occupied = own | self.enemies;
        let reach = |(man, from): &(Man, Square)| match man {
            Man::King => (attacks::king(*from) & !own).count(),
            Man::Queen => (attacks::queen(*from, occupied) & !own).count(),
            Man::Rook => (attacks::rook(*from, occupied) & !own).count(),
            Man::Bishop => (attacks::bishop(*from, occupied) & !own).count(),
            Man::Knight => (attacks::knight(*from) & !own).count(),
            Man::Pawn => self.pawn_moves(*from, occupied),
        };
        self.men.iter().map(reach).sum()
    }

    fn pawn_moves(&self, from: Square, occupied: Bitboard) -> u32 {
        let (file, rank) = (from.file(), from.rank());
        let ahead = |file: u8, rank: u8| Square::new(file, rank).bitboard();
        let free = |rank: u8| (ahead(file, rank) & occupied).is_empty();
        let pushes =
            u32::from(free(rank + 1)) + u32::from(rank == 1 && free(rank + 1) && free(rank + 2));
        let sides = [file.checked_sub(1), (file < 7).then_some(file + 1)];
        let captures = sides
            .into_iter()
            .flatten()
            .filter(|side| !(ahead(*side, rank + 1) & self.enemies).is_empty())
            .count() as u32;
        (pushes + captures) * if rank == 6 { 4 } else { 1 }
    }

    /// A pawn stands on neither edge, and the enemy has fifteen men besides a king (which may stand
    /// anywhere that is not attacked, and is left out: it can only take moves away).
    fn is_allowed(&self) -> bool {
        let own = self.own();
        own.count() == 16
            && (own & self.enemies).is_empty()
            && self.enemies.count() <= 15
            && self.men.iter().all(|(man, at)| *man != Man::Pawn || (1..7).contains(&at.rank()))
            && self.men.iter().filter(|(man, _)| *man == Man::Pawn).count() <= 8
    }
}

fn next(state: &mut u64) -> u64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    *state
}

fn main() {
    const STEPS: u32 = 1_000_000;
    let mut state = 88_172_645_463_325_252;
    let mut most = 0;
    for round in 0..32 {
        let mut squares: Vec<Square> = Vec::new();
        while squares.len() < 16 {
            let square = Square::from_index(next(&mut state) as usize);
            if !squares.contains(&square) {
                squares.push(square);
            }
        }
        // Half of the rounds begin with pawns that have twelve moves each: b7, d7, f7, and enemies
        // on a8, c8, e8, g8.
        let pawns = if round % 2 == 0 { 0 } else { round / 2 % 4 };
        let pawn_squares = [1u8, 3, 5].map(|file| Square::new(file, 6));
        let last_rank = [0u8, 2, 4, 6].map(|file| Square::new(file, 7));
        squares.retain(|square| square.rank() < 6);
        while squares.len() < 16 {
            let square = Square::from_index(next(&mut state) as usize);
            if square.rank() < 6 && !squares.contains(&square) {
                squares.push(square);
            }
        }
        let men = core::array::from_fn(|index| match index {
            0 => (Man::King, squares[0]),
            _ if index <= pawns => (Man::Pawn, pawn_squares[index - 1]),
            _ => (Man::Queen, squares[index]),
        });
        let enemies = last_rank.into_iter().take(if pawns > 0 { pawns + 1 } else { 0 }).collect();
        let mut placement = Placement { men, enemies };
        let mut current = placement.moves();
        let mut best = current;
        for step in 0..STEPS {
            let temperature = 2.0 * (1.0 - f64::from(step) / f64::from(STEPS)) + 0.01;
            let mut changed = placement.clone();
            let square = Square::from_index(next(&mut state) as usize);
            let index = next(&mut state) as usize % 16;
            match next(&mut state) % 4 {
                0 if index > 0 => changed.men[index].0 = KINDS[next(&mut state) as usize % 5],
                1 => changed.enemies ^= square.bitboard(),
                _ => changed.men[index].1 = square,
            }
            if !changed.is_allowed() {
                continue;
            }
            let count = changed.moves();
            let chance = ((f64::from(count) - f64::from(current)) / temperature).exp();
            if (next(&mut state) % 1_000_000) as f64 / 1e6 < chance {
                (placement, current) = (changed, count);
            }
            if current > most {
                most = current;
            }
            best = best.max(current);
        }
        println!("{pawns} pawns at the start: {best} moves, {most} so far: {:?}", placement.men);
    }
}
