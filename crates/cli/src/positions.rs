//! Positions as arguments: `startpos`, a FEN or EPD record, or a file of them.

use std::path::Path;

use megatherium_board::epd::Epd;
use megatherium_board::{Board, position_file};

/// A position with its name: the `id` of its record, else its number.
#[derive(Clone, Debug)]
pub struct NamedPosition {
    /// What to call it.
    pub name: String,
    /// The record.
    pub epd: Epd,
}

/// Reads each argument: `startpos`, the file of that name if there is one, else the record itself.
/// Positions are numbered through all arguments.
pub fn read_all(arguments: &[String]) -> Result<Vec<NamedPosition>, String> {
    let mut records = Vec::new();
    for argument in arguments {
        if argument == "startpos" {
            records.push(Epd { board: Board::startpos(), operations: Vec::new() });
        } else if Path::new(argument).exists() {
            let file = position_file::read(Path::new(argument));
            records.extend(file.map_err(|error| error.to_string())?);
        } else {
            let record = argument.parse().map_err(|error| {
                format!("{argument:?} is neither a file nor a position: {error}")
            })?;
            records.push(record);
        }
    }
    Ok(named(records))
}

/// Names the positions of one or more files.
pub fn named(records: Vec<Epd>) -> Vec<NamedPosition> {
    let name = |(number, epd): (usize, Epd)| {
        let name = epd.id().map_or_else(|| format!("position {number}"), str::to_owned);
        NamedPosition { name, epd }
    };
    (1..).zip(records).map(name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_numbered_through_all_arguments() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("two positions.epd");
        std::fs::write(
            &file,
            "8/8/8/8/8/4k3/4p3/4K3 w - - id \"stale\";\n4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\n",
        )
        .unwrap();
        let fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1".to_owned();
        let arguments = [fen, file.display().to_string(), "startpos".to_owned()];
        let names: Vec<_> =
            read_all(&arguments).unwrap().into_iter().map(|position| position.name).collect();
        assert_eq!(names, ["position 1", "stale", "position 3", "position 4"]);
        let refused = read_all(&["nowhere.epd".to_owned()]).unwrap_err();
        assert!(refused.contains("neither a file nor a position"), "{refused}");
    }
}
