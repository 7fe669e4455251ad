//! The ways in which a game can be played.

use std::fmt::Write as _;

use fastrand::Rng;
use megatherium_board::Board;

/// A way to play: clocks and options.
pub struct Mode {
    pub name: &'static str,
    /// Options of both players.
    pub options: &'static [&'static str],
    /// Milliseconds on the clock at the start; 0 for none.
    pub clock: i64,
    /// Milliseconds added after each move.
    increment: i64,
    /// Moves to the next control, which adds `clock` again; 0 for none.
    control: usize,
    /// What `go` says when there is no clock.
    fixed: &'static str,
    pub ponder: bool,
    pub chess960: bool,
}

const PLAIN: Mode = Mode {
    name: "",
    options: &[],
    clock: 0,
    increment: 0,
    control: 0,
    fixed: "",
    ponder: false,
    chess960: false,
};

/// All of them.
pub const MODES: [Mode; 10] = [
    Mode { name: "2+0.02", clock: 2000, increment: 20, ..PLAIN },
    Mode { name: "sudden death 3 s", clock: 3000, ..PLAIN },
    Mode { name: "20 moves in 1 s", clock: 1000, control: 20, ..PLAIN },
    Mode {
        name: "2+0.02, 2 threads",
        options: &["Threads value 2", "Hash value 4"],
        clock: 2000,
        increment: 20,
        ..PLAIN
    },
    Mode {
        name: "1+0.05, 8 threads",
        options: &["Threads value 8", "Hash value 1"],
        clock: 1000,
        increment: 50,
        ..PLAIN
    },
    Mode {
        name: "2+0.02, ponder",
        options: &["Ponder value true"],
        clock: 2000,
        increment: 20,
        ponder: true,
        ..PLAIN
    },
    Mode {
        name: "2+0.02, MultiPV 4",
        options: &["MultiPV value 4", "UCI_ShowWDL value true"],
        clock: 2000,
        increment: 20,
        ..PLAIN
    },
    Mode {
        name: "2+0.02, Chess960",
        options: &["UCI_Chess960 value true"],
        clock: 2000,
        increment: 20,
        chess960: true,
        ..PLAIN
    },
    Mode {
        name: "Chess960, ponder, 2 threads",
        options: &["UCI_Chess960 value true", "Ponder value true", "Threads value 2"],
        clock: 2000,
        increment: 20,
        ponder: true,
        chess960: true,
        ..PLAIN
    },
    Mode {
        name: "5000 nodes, 2 threads",
        options: &["Threads value 2"],
        fixed: "nodes 5000",
        ..PLAIN
    },
];

impl Mode {
    pub fn is_timed(&self) -> bool {
        self.clock > 0
    }

    /// The clock after the `number`-th move of a side.
    pub fn after_move(&self, left: i64, number: usize) -> i64 {
        let control = self.control != 0 && number.is_multiple_of(self.control);
        left + self.increment + if control { self.clock } else { 0 }
    }

    /// The arguments of `go` with these clocks, at the `number`-th move of a side.
    pub fn limits(&self, clocks: [i64; 2], number: usize) -> String {
        if !self.is_timed() {
            return self.fixed.to_owned();
        }
        let [white, black] = clocks;
        let mut text = format!("wtime {white} btime {black}");
        if self.increment > 0 {
            let _ = write!(text, " winc {0} binc {0}", self.increment);
        }
        if self.control > 0 {
            let _ = write!(text, " movestogo {}", self.control - (number - 1) % self.control);
        }
        text
    }

    /// A start position with some random moves from it, so that no two games are alike.
    pub fn opening(&self, random: &mut Rng) -> Board {
        loop {
            let mut board = if self.chess960 { scrambled(random) } else { Board::startpos() };
            for _ in 0..8 {
                let moves = board.legal_moves();
                if moves.is_empty() {
                    break;
                }
                board.make(moves[random.usize(..moves.len())]);
            }
            if board.has_legal_move() {
                return board;
            }
        }
    }
}

/// A Chess960 start: bishops on squares of both colours, the king between the rooks.
fn scrambled(random: &mut Rng) -> Board {
    let mut rank = [' '; 8];
    rank[2 * random.usize(..4)] = 'b';
    rank[2 * random.usize(..4) + 1] = 'b';
    let mut put = |piece, random: Option<&mut Rng>| {
        let free: Vec<usize> = (0..8).filter(|&file| rank[file] == ' ').collect();
        rank[free[random.map_or(0, |random| random.usize(..free.len()))]] = piece;
    };
    for piece in ['q', 'n', 'n'] {
        put(piece, Some(random));
    }
    for piece in ['r', 'k', 'r'] {
        put(piece, None);
    }
    let black: String = rank.iter().collect();
    let fen = format!("{black}/pppppppp/8/8/8/8/PPPPPPPP/{} w KQkq - 0 1", black.to_uppercase());
    Board::from_fen(&fen).expect("a Chess960 start")
}
