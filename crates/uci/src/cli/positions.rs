//! Positions from the command line: FENs, EPD records, or files of them.

use std::path::Path;

use megatherium_board::epd::Epd;

/// A position and what to call it.
#[derive(Clone, Debug)]
pub(super) struct NamedPosition {
    pub(super) name: String,
    pub(super) epd: Epd,
}

/// Reads each argument: as the file of that name if there is one, else as the position itself.
pub(super) fn read_all(arguments: &[String]) -> Result<Vec<NamedPosition>, String> {
    let mut positions = Vec::new();
    for argument in arguments {
        if Path::new(argument).is_file() {
            positions.extend(read_file(Path::new(argument))?);
        } else {
            positions.push(
                read(argument, positions.len() + 1)
                    .map_err(|error| format!("{argument:?} is neither a file nor a position: {error}"))?,
            );
        }
    }
    Ok(positions)
}

/// Reads a file with one FEN or EPD record a line. Blank lines and comments (`#`) are left out.
pub(super) fn read_file(path: &Path) -> Result<Vec<NamedPosition>, String> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let records = text.lines().enumerate().filter(|(_, line)| {
        let line = line.trim();
        !line.is_empty() && !line.starts_with('#')
    });
    let mut positions = Vec::new();
    for (index, line) in records {
        let position = read(line, positions.len() + 1);
        positions.push(position.map_err(|error| format!("{}:{}: {error}", path.display(), index + 1))?);
    }
    if positions.is_empty() { Err(format!("{}: no positions", path.display())) } else { Ok(positions) }
}

fn read(text: &str, number: usize) -> Result<NamedPosition, String> {
    let epd: Epd = text.parse().map_err(|error| format!("{error}"))?;
    let name = epd.id().map_or_else(|| format!("position {number}"), str::to_owned);
    Ok(NamedPosition { name, epd })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fens_records_and_files() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("two positions.epd");
        std::fs::write(
            &file,
            "# a comment\n\n8/8/8/8/8/4k3/4p3/4K3 w - - id \"stale\";\r\n4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\n",
        )
        .unwrap();
        let arguments = [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1".to_owned(),
            file.display().to_string(),
        ];
        let names: Vec<_> = read_all(&arguments).unwrap().into_iter().map(|position| position.name).collect();
        assert_eq!(names, ["position 1", "stale", "position 2"]);
    }

    #[test]
    fn errors_say_where() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("bad.epd");
        std::fs::write(&file, "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\nnonsense\n").unwrap();
        assert!(read_file(&file).unwrap_err().contains("bad.epd:2: "));
        std::fs::write(&file, "\n").unwrap();
        assert!(read_file(&file).unwrap_err().contains("no positions"));
        assert!(read_all(&["nowhere.epd".to_owned()]).unwrap_err().contains("neither a file nor a position"));
    }
}
