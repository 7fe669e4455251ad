//! How many moves can a position have? Looks for placements of a king and 15 queens with as many moves as possible,
//! by simulated annealing; the enemy is left out, since any piece of it can only take moves away.
//!
//! `cargo run --release -p megatherium-board --example most_moves`
//!
//! The answer stays below the 255 moves a `MoveList` holds. Other pieces have fewer moves than a queen, so no position
//! of 16 men a side has more.

use megatherium_board::{Bitboard, Square, attacks};

fn moves(men: &[Square]) -> u32 {
    let occupied: Bitboard = men.iter().copied().collect();
    let reach = |(index, square): (usize, &Square)| match index {
        0 => (attacks::king(*square) & !occupied).count(),
        _ => (attacks::queen(*square, occupied) & !occupied).count(),
    };
    men.iter().enumerate().map(reach).sum()
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
    for _ in 0..30 {
        let mut men: Vec<Square> = Vec::new();
        while men.len() < 16 {
            let square = Square::from_index(next(&mut state) as usize);
            if !men.contains(&square) {
                men.push(square);
            }
        }
        let mut current = moves(&men);
        for step in 0..STEPS {
            let temperature = 3.0 * (1.0 - f64::from(step) / f64::from(STEPS)) + 0.01;
            let (index, square) =
                (next(&mut state) as usize % 16, Square::from_index(next(&mut state) as usize));
            if men.contains(&square) {
                continue;
            }
            let before = std::mem::replace(&mut men[index], square);
            let changed = moves(&men);
            let chance = ((f64::from(changed) - f64::from(current)) / temperature).exp();
            if (next(&mut state) % 1_000_000) as f64 / 1e6 < chance {
                current = changed;
            } else {
                men[index] = before;
            }
            if current > most {
                most = current;
                println!("{most} moves: king {}, queens {:?}", men[0], &men[1..]);
            }
        }
    }
}
