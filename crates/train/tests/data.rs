//! Data files: what is written is read, and no damage goes unnoticed or does harm.

use fastrand::Rng;
use megatherium_board::Board;
use megatherium_board::referee::Outcome;
use megatherium_train::data::{
    DataError, Ending, Filter, Game, NO_SCORE, PackedBoard, Ply, Reader, Writer, merge, shuffle,
    stats,
};
use std::fs;
use std::path::PathBuf;
use std::slice::from_ref;

const FILE_HEADER: usize = 16;

/// A random game with random scores, from a standard, an endgame or a Chess960 start.
fn random_game(random: &mut Rng) -> Game {
    let starts = [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
        "rkrqnbbn/pppppppp/8/8/8/8/PPPPPPPP/RKRQNBBN w CAca - 0 1",
    ];
    let mut board = Board::from_fen(starts[random.usize(..3)]).unwrap();
    let start = PackedBoard::pack(&board).unwrap();
    let mut plies = Vec::new();
    for number in 0..20 + random.usize(..60) {
        let moves = board.legal_moves();
        if moves.is_empty() {
            break;
        }
        let mv = moves[random.usize(..moves.len())];
        let score = if number < 8 { NO_SCORE } else { random.usize(..4001) as i16 - 2000 };
        plies.push(Ply { mv, score });
        board.make(mv);
    }
    let outcome = [Outcome::Black, Outcome::Draw, Outcome::White][random.usize(..3)];
    let ending = [Ending::Played, Ending::Adjudicated][random.usize(..2)];
    Game { start, outcome, ending, net: random.usize(..3) as u32, plies }
}

/// A directory with one data file of `count` games.
fn written(count: usize, seed: u64) -> (tempfile::TempDir, PathBuf, Vec<Game>) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("games.data");
    let mut random = Rng::with_seed(seed);
    let games: Vec<Game> = (0..count).map(|_| random_game(&mut random)).collect();
    let (mut writer, _) = Writer::append(&path).unwrap();
    for game in &games {
        writer.write(game).unwrap();
    }
    (directory, path, games)
}

fn read_all(bytes: &[u8]) -> Result<Vec<Game>, DataError> {
    Reader::new(bytes)?.collect()
}

#[test]
fn what_is_written_is_read() {
    let (_directory, path, games) = written(300, 1);
    let read: Vec<Game> = Reader::open(&path).unwrap().map(Result::unwrap).collect();
    assert_eq!(read, games);
    let size = fs::metadata(&path).unwrap().len() as usize;
    let plies: usize = games.iter().map(|game| game.plies.len()).sum();
    assert_eq!(size, FILE_HEADER + 44 * games.len() + 4 * plies);
}

#[test]
fn a_file_cut_anywhere_keeps_its_whole_games() {
    let (_directory, path, games) = written(6, 2);
    let bytes = fs::read(&path).unwrap();
    let mut ends = vec![FILE_HEADER];
    for game in &games {
        ends.push(ends.last().unwrap() + game.encode().unwrap().len());
    }
    for length in FILE_HEADER..=bytes.len() {
        let mut reader = Reader::new(&bytes[..length]).unwrap();
        let read: Vec<Game> = reader.by_ref().map(Result::unwrap).collect();
        let whole = ends.iter().filter(|&&end| end <= length).count() - 1;
        assert_eq!(read, games[..whole], "cut at {length}");
        assert_eq!(reader.cut(), (length - ends[whole]) as u64);
    }
    for length in 0..FILE_HEADER {
        assert!(matches!(Reader::new(&bytes[..length]), Err(DataError::NotData)));
    }
}

#[test]
fn a_writer_goes_on_after_a_cut() {
    let (_directory, path, games) = written(6, 3);
    let bytes = fs::read(&path).unwrap();
    for length in (0..bytes.len()).step_by(13) {
        fs::write(&path, &bytes[..length]).unwrap();
        let (mut writer, resumed) = Writer::append(&path).unwrap();
        writer.write(&games[5]).unwrap();
        drop(writer);
        let read: Vec<Game> = Reader::open(&path).unwrap().map(Result::unwrap).collect();
        let kept = resumed.games as usize;
        assert_eq!(read[..kept], games[..kept]);
        assert_eq!(read[kept..], games[5..]);
        let plies: usize = games[..kept].iter().map(|game| game.plies.len()).sum();
        assert_eq!(resumed.plies, plies as u64);
        assert!(length < FILE_HEADER || resumed.cut as usize <= length - FILE_HEADER);
    }
}

#[test]
fn a_compressed_file_cut_anywhere_loses_its_last_block_at_most() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("games.xz");
    let mut random = Rng::with_seed(12);
    let games: Vec<Game> = (0..9).map(|_| random_game(&mut random)).collect();
    let mut ends = vec![0];
    for games in games.chunks(3) {
        let (mut writer, resumed) = Writer::append(&path).unwrap();
        assert_eq!((resumed.games as usize, resumed.cut), (3 * (ends.len() - 1), 0));
        for game in games {
            writer.write(game).unwrap();
        }
        writer.finish().unwrap();
        ends.push(fs::metadata(&path).unwrap().len());
    }
    let bytes = fs::read(&path).unwrap();
    assert_eq!(&bytes[..6], b"\xFD7zXZ\0");
    for length in (0..bytes.len()).step_by(17).chain(ends.iter().map(|&end| end as usize)) {
        fs::write(&path, &bytes[..length]).unwrap();
        let whole = 3 * (ends.iter().filter(|&&end| end <= length as u64).count() - 1);
        // A reader may get games of the cut block as well, but nothing wrong.
        if length >= 6 {
            match Reader::open(&path) {
                Ok(reader) => {
                    let read: Vec<Game> = reader.map(Result::unwrap).collect();
                    assert!(read.len() >= whole && games.starts_with(&read), "{length}");
                }
                Err(error) => assert!(matches!(error, DataError::NotData) && whole == 0),
            }
        }
        if let 1..6 = length {
            assert!(matches!(Writer::append(&path), Err(DataError::NotData)));
            continue;
        }
        let (mut writer, resumed) = Writer::append(&path).unwrap();
        assert_eq!(resumed.games as usize, whole, "{length}");
        writer.write(&games[8]).unwrap();
        drop(writer);
        let read: Vec<Game> = Reader::open(&path).unwrap().map(Result::unwrap).collect();
        assert_eq!((&read[..whole], &read[whole..]), (&games[..whole], &games[8..]));
    }
}

#[test]
fn only_one_writer_at_a_time() {
    let (_directory, path, _) = written(1, 4);
    let (first, _) = Writer::append(&path).unwrap();
    assert!(matches!(Writer::append(&path), Err(DataError::InUse)));
    drop(first);
    assert!(Writer::append(&path).is_ok());
}

#[test]
fn every_flipped_bit_is_noticed() {
    let (_directory, path, games) = written(3, 5);
    let mut bytes = fs::read(&path).unwrap();
    for at in 0..bytes.len() {
        for bit in 0..8 {
            bytes[at] ^= 1 << bit;
            match read_all(&bytes) {
                // The unused end of the file header carries nothing.
                Ok(read) => {
                    assert!(
                        (10..FILE_HEADER).contains(&at) && read == games,
                        "bit {bit} of byte {at}"
                    );
                }
                Err(DataError::Damaged { offset, .. }) => assert!(offset <= at as u64),
                Err(DataError::NotData) => assert!(at < 8),
                Err(DataError::Version(_)) => assert!((8..10).contains(&at)),
                Err(error) => panic!("{error}"),
            }
            bytes[at] ^= 1 << bit;
        }
    }
}

#[test]
fn random_damage_is_reported_and_can_be_skipped() {
    let (_directory, path, games) = written(40, 6);
    let good = fs::read(&path).unwrap();
    let mut random = Rng::with_seed(7);
    for _ in 0..300 {
        let mut bytes = good.clone();
        // Overwrite, remove or insert a stretch somewhere behind the header.
        let at = FILE_HEADER + random.usize(..bytes.len() - FILE_HEADER - 300);
        let length = 1 + random.usize(..300);
        let noise: Vec<u8> = (0..length).map(|_| random.u64(..) as u8).collect();
        match random.usize(..3) {
            0 => bytes[at..at + length].copy_from_slice(&noise),
            1 => drop(bytes.drain(at..at + length)),
            _ => drop(bytes.splice(at..at, noise)),
        }
        let mut reader = Reader::new(&bytes[..]).unwrap();
        let mut read = Vec::new();
        let mut errors = 0;
        while let Some(game) = reader.next() {
            match game {
                Ok(game) => read.push(game),
                Err(error) => {
                    assert!(matches!(error, DataError::Damaged { .. }), "{error}");
                    errors += 1;
                    reader.skip_damage().unwrap();
                }
            }
        }
        // Damage may end in a record cut by the end of the file, or take out whole records exactly.
        assert!(errors > 0 || reader.cut() > 0 || read.len() < games.len());
        // A stretch of 300 bytes touches few records; all others survive, in order, and nothing is
        // invented.
        assert!(read.len() + 8 >= games.len(), "{} of {}", read.len(), games.len());
        let mut rest = games.iter();
        assert!(read.iter().all(|game| rest.any(|original| original == game)));
    }
}

#[test]
fn noise_is_no_data() {
    let mut random = Rng::with_seed(8);
    for length in [0, 1, 15, 16, 17, 100, 5000] {
        let bytes: Vec<u8> = (0..length).map(|_| random.u64(..) as u8).collect();
        assert!(matches!(read_all(&bytes), Err(DataError::NotData)));
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("noise");
        fs::write(&path, &bytes).unwrap();
        if length > 0 {
            // A writer must not touch a file that is something else.
            assert!(matches!(Writer::append(&path), Err(DataError::NotData)));
            assert_eq!(fs::read(&path).unwrap(), bytes);
        }
    }
}

#[test]
fn replays_flag_what_does_not_suit_training() {
    let mut board = Board::startpos();
    let start = PackedBoard::pack(&board).unwrap();
    let mut plies = Vec::new();
    let line = [
        ("e2e4", NO_SCORE),
        ("d7d5", 20),
        ("e4d5", 30),
        ("e7e5", 10),
        ("d5e6", 40),
        ("c8e6", 0),
        ("d1e2", 5),
        ("b8c6", 5),
        ("e2e6", 2500),
        ("f7e6", -2500),
        ("e1e2", 0),
        ("c6b4", 0),
        ("e2e1", 0),
        ("b4c6", 0),
        ("e1e2", 0),
        ("c6b4", 0),
    ];
    for (text, score) in line {
        let mv = board.parse_uci(text).unwrap();
        plies.push(Ply { mv, score });
        board.make(mv);
    }
    let game = Game { start, outcome: Outcome::Black, ending: Ending::Played, net: 0, plies };
    let positions: Vec<_> = game.replay().collect();
    assert_eq!(positions.len(), line.len());
    let with =
        |flag: &dyn Fn(usize) -> bool| (0..line.len()).filter(|&ply| flag(ply)).collect::<Vec<_>>();
    assert_eq!(with(&|ply| positions[ply].flags.random), [0]);
    assert_eq!(with(&|ply| positions[ply].flags.noisy), [2, 4, 5, 8, 9]);
    assert_eq!(with(&|ply| positions[ply].flags.in_check), [9]);
    // The king's first move costs White the right to castle, so only the second round repeats a
    // position.
    assert_eq!(with(&|ply| positions[ply].flags.repeated), [15]);
    assert_eq!(positions[0].doubled_result, 0);
    assert_eq!(positions[1].doubled_result, 2);
    assert_eq!(
        with(&|ply| Filter::default().keeps(&positions[ply])),
        [1, 3, 6, 7, 10, 11, 12, 13, 14]
    );
    assert_eq!(with(&|ply| Filter::NONE.keeps(&positions[ply])).len(), line.len() - 1);
}

#[test]
fn an_illegal_move_ends_a_replay() {
    let mut random = Rng::with_seed(9);
    let mut game = random_game(&mut random);
    let length = game.plies.len();
    assert_eq!(game.replay().count(), length);
    game.plies[10].mv = game.plies[0].mv;
    let mut replay = game.replay();
    assert_eq!(replay.by_ref().count(), 10);
    assert!(replay.illegal());
}

#[test]
fn files_are_counted_joined_and_mixed() {
    let (directory, first, games) = written(100, 10);
    let (_other, second, more) = written(50, 11);
    let joined = directory.path().join("joined.data");
    let merged = merge(&[first.clone(), second.clone()], &joined, false, &mut |_| true).unwrap();
    assert_eq!((merged.games, merged.skipped), (150, 0));
    let all: Vec<Game> = games.into_iter().chain(more).collect();
    let read: Vec<Game> = Reader::open(&joined).unwrap().map(Result::unwrap).collect();
    assert_eq!(read, all);

    let mut sum = stats(&first, &Filter::default(), &mut |_| true).unwrap();
    sum.add(&stats(&second, &Filter::default(), &mut |_| true).unwrap());
    let whole = stats(&joined, &Filter::default(), &mut |_| true).unwrap();
    assert_eq!(sum, whole);
    assert_eq!(whole.games, 150);
    assert_eq!(whole.outcomes.iter().sum::<u64>(), 150);
    assert_eq!(whole.plies, all.iter().map(|game| game.plies.len() as u64).sum::<u64>());
    assert_eq!(whole.illegal, 0);
    assert_eq!(whole.kept, whole.kept_by_bucket.iter().sum::<u64>());
    assert!(whole.kept > 0 && whole.kept < whole.plies - whole.random);

    let mixed = directory.path().join("mixed.data");
    assert_eq!(shuffle(from_ref(&joined), &mixed, 5, &mut |_| true).unwrap(), 150);
    let order: Vec<Game> = Reader::open(&mixed).unwrap().map(Result::unwrap).collect();
    assert_ne!(order, all);
    let sorted = |mut games: Vec<Game>| {
        games.sort_by_key(Game::fingerprint);
        games
    };
    assert_eq!(sorted(order), sorted(all));
    assert!(
        shuffle(&[joined], &mixed, 5, &mut |_| true).is_err(),
        "an existing file is not mixed into"
    );

    // A damaged source: refused, or salvaged.
    let mut bytes = fs::read(&first).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&first, bytes).unwrap();
    let target = directory.path().join("salvaged.data");
    assert!(matches!(
        merge(from_ref(&first), &target, false, &mut |_| true),
        Err((_, DataError::Damaged { .. }))
    ));
    fs::remove_file(&target).unwrap();
    let merged = merge(&[first], &target, true, &mut |_| true).unwrap();
    assert_eq!(merged.games, 99);
    assert!(merged.skipped > 0);
}
