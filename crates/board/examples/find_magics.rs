//! Searches for the multipliers of the magic bitboards and prints them as the constants of
//! `src/magics.rs`.
//!
//! `cargo run --release -p megatherium-board --example find_magics`
//!
//! A multiplier is good when no two occupancies with different attacks share an index. Sparse
//! random numbers are tried until one is; the generator is seeded, so the output is always the
//! same.

/// The squares of the ray from `square` in direction (`df`, `dr`), up to and including the first
/// occupied one.
fn ray(square: i32, df: i32, dr: i32, occupied: u64) -> u64 {
    let (mut file, mut rank, mut seen) = (square % 8 + df, square / 8 + dr, 0);
    while (0..8).contains(&file) && (0..8).contains(&rank) {
        let bit = 1u64 << (rank * 8 + file);
        seen |= bit;
        if occupied & bit != 0 {
            break;
        }
        file += df;
        rank += dr;
    }
    seen
}

const ROOK: [(i32, i32); 4] = [(1, 0), (-1, 0), (0, 1), (0, -1)];
const BISHOP: [(i32, i32); 4] = [(1, 1), (-1, 1), (1, -1), (-1, -1)];

fn attacks(square: i32, directions: &[(i32, i32); 4], occupied: u64) -> u64 {
    directions.iter().fold(0, |all, &(df, dr)| all | ray(square, df, dr, occupied))
}

/// The squares whose occupancy matters: each ray without its last square.
fn relevant(square: i32, directions: &[(i32, i32); 4]) -> u64 {
    directions.iter().fold(0, |all, &(df, dr)| {
        let full = ray(square, df, dr, 0);
        let last = full
            & !(0..64).filter(|s| full >> s & 1 == 1).fold(0, |inner, s| {
                let (file, rank) = (s % 8 + df, s / 8 + dr);
                let inside = (0..8).contains(&file) && (0..8).contains(&rank);
                inner | if inside { 1u64 << s } else { 0 }
            });
        all | full & !last
    })
}

fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut z = *state;
    z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ z >> 31
}

fn find(square: i32, directions: &[(i32, i32); 4], seed: &mut u64) -> u64 {
    let mask = relevant(square, directions);
    let bits = mask.count_ones();
    let mut cases = Vec::new();
    let mut subset = 0u64;
    loop {
        cases.push((subset, attacks(square, directions, subset)));
        subset = subset.wrapping_sub(mask) & mask;
        if subset == 0 {
            break;
        }
    }
    let mut table = vec![(0u32, 0u64); 1 << bits];
    for attempt in 1.. {
        let factor = next(seed) & next(seed) & next(seed);
        if (mask.wrapping_mul(factor) >> 56).count_ones() < 6 {
            continue;
        }
        let clash = cases.iter().any(|&(subset, attack)| {
            let slot = &mut table[(subset.wrapping_mul(factor) >> (64 - bits)) as usize];
            let taken = slot.0 == attempt && slot.1 != attack;
            *slot = (attempt, attack);
            taken
        });
        if !clash {
            return factor;
        }
    }
    unreachable!("the loop above ends only by returning")
}

fn main() {
    let mut seed = 0x4D65_6761_7468_6572;
    for (name, directions) in [("ROOK_FACTORS", ROOK), ("BISHOP_FACTORS", BISHOP)] {
        println!("const {name}: [u64; 64] = [");
        for square in 0..64 {
            println!("    0x{:016x},", find(square, &directions, &mut seed));
        }
        println!("];");
    }
}
