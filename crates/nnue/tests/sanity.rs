//! The sign of evaluations, and the contribution of each piece.

use std::sync::Arc;

use megatherium_board::{Board, PieceType, Square};
use megatherium_nnue::layout::OUTPUT_BUCKETS;
use megatherium_nnue::{EVAL_LIMIT, Network, constructed};

fn board(fen: &str) -> Board {
    Board::from_fen(fen).unwrap()
}

#[test]
fn the_constructed_net_is_the_same_everywhere() {
    let checksum = constructed::network().checksum();
    assert_eq!(checksum, CONSTRUCTED_CHECKSUM, "now {checksum:#018x}");
}

/// The identity of the constructed net at the present width.
const CONSTRUCTED_CHECKSUM: u64 = 0x36dd_813c_9f48_8a36;

#[test]
fn material_is_ordered() {
    for network in [Arc::new(constructed::network()), Network::embedded()] {
        // White's army against the same army less one piece, White to move.
        let up = |piece: char, square: &str| {
            let full = Board::startpos();
            let at: Square = square.parse().unwrap();
            let fen = full.fen();
            let mut ranks: Vec<String> =
                fen.split(' ').next().unwrap().split('/').map(str::to_owned).collect();
            let rank = &mut ranks[7 - at.rank() as usize];
            *rank = rank.replace('8', "11111111");
            let mut squares: Vec<char> = rank.chars().collect();
            assert_eq!(squares[at.file() as usize], piece);
            squares[at.file() as usize] = '1';
            *rank = squares.into_iter().collect();
            network.evaluate(&board(&format!("{} w - - 0 1", ranks.join("/"))))
        };
        let (pawn, knight, rook, queen) =
            (up('p', "d7"), up('n', "b8"), up('r', "a8"), up('q', "d8"));
        let bishop = up('b', "c8");
        assert!(0 < pawn && pawn < knight && pawn < bishop, "{pawn} {knight} {bishop}");
        assert!(knight < rook && bishop < rook && rook < queen, "{knight} {bishop} {rook} {queen}");
    }
}

#[test]
fn the_start_is_balanced_and_scores_are_bounded() {
    assert_eq!(constructed::network().evaluate(&Board::startpos()), 0);
    let queens = board("QQQQQQQQ/Q7/8/8/8/7k/8/K2RR3 b - - 0 1");
    for network in [Arc::new(constructed::network()), Network::embedded()] {
        assert!(network.evaluate(&Board::startpos()).abs() < 150);
        assert!(network.evaluate(&queens).abs() <= EVAL_LIMIT);
    }
}

#[test]
fn an_explanation_agrees_with_the_evaluation() {
    for network in [Arc::new(constructed::network()), Network::embedded()] {
        for fen in [
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b KQkq - 0 1",
        ] {
            let board = board(fen);
            let explanation = network.explain(&board);
            assert_eq!(explanation.score, network.evaluate(&board));
            assert_eq!(explanation.buckets[explanation.bucket], explanation.score);
            assert_eq!(explanation.buckets.len(), OUTPUT_BUCKETS);
            assert_eq!(explanation.white_score.abs(), explanation.score.abs());
            for index in 0..64 {
                let square = Square::from_index(index);
                let valued = board
                    .piece_on(square)
                    .is_some_and(|piece| piece.piece_type() != PieceType::King);
                assert_eq!(explanation.pieces[index].is_some(), valued, "{square}");
            }
            // White's queen is good for White, Black's for Black.
            let at =
                |name: &str| explanation.pieces[name.parse::<Square>().unwrap().index()].unwrap();
            assert!(at("f3") > 300 && at("e7") < -300, "{} {}", at("f3"), at("e7"));
        }
    }
}
