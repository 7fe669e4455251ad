//! Validates tablebase files.
//!
//! The probing library trusts the header of a file and follows it with raw pointers, so a table
//! that was truncated while copying crashes the engine in the middle of a game. Every file is
//! validated before the library sees it: the header says where each part of the file must be, and
//! that must agree with the file's name and size.
//!
//! ```text
//! magic (4) │ flags (1) │ piece order, per table │ Huffman codes, per table and side
//!           │ maps (DTZ only) │ index, 6 bytes per 2ⁿ positions │ block sizes
//!           │ blocks, aligned to 64 │ checksum (16)
//! ```
//!
//! Only the header is read: a few kilobytes even of the largest file. Damage inside a block is not
//! detected here.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// What a table stores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// WDL, win, draw or loss: `.rtbw`.
    Result,
    /// DTZ, plies to the next capture or pawn move: `.rtbz`.
    Distance,
}

impl Kind {
    /// The kind of a file, from its name.
    pub fn of(path: &Path) -> Option<Kind> {
        match path.extension()?.to_str()? {
            "rtbw" => Some(Kind::Result),
            "rtbz" => Some(Kind::Distance),
            _ => None,
        }
    }

    fn magic(self) -> [u8; 4] {
        match self {
            Kind::Result => [0x71, 0xE8, 0x23, 0x5D],
            Kind::Distance => [0xD7, 0x66, 0x0C, 0xA5],
        }
    }
}

/// The men of each side: numbers of pawns, knights, bishops, rooks, queens and kings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Material([[usize; 6]; 2]);

impl Material {
    /// From a name such as `KQPvKR`; `None` for any other.
    pub fn parse(name: &str) -> Option<Material> {
        let (white, black) = name.split_once('v')?;
        let mut sides = [[0; 6]; 2];
        for (side, men) in sides.iter_mut().zip([white, black]) {
            for letter in men.chars() {
                side["PNBRQK".find(letter)?] += 1;
            }
            if side[5] != 1 {
                return None;
            }
        }
        Some(Material(sides)).filter(|material| (3..=7).contains(&material.men()))
    }

    /// Number of men, kings included.
    pub fn men(&self) -> usize {
        self.0.iter().flatten().sum()
    }

    fn has_pawns(&self) -> bool {
        self.0[0][0] + self.0[1][0] > 0
    }

    fn is_symmetric(&self) -> bool {
        self.0[0] == self.0[1]
    }

    /// Pawns of the side whose pawns are indexed first, and of the other side.
    fn pawns(&self) -> [usize; 2] {
        let [white, black] = self.0.map(|side| side[0]);
        if black != 0 && (white == 0 || white > black) { [black, white] } else { [white, black] }
    }

    /// Whether the kings are the only pieces that occur once.
    fn only_kings_are_single(&self) -> bool {
        self.0.iter().flatten().filter(|&&count| count == 1).count() == 2
    }
}

/// Whether the file at `path` is a complete table of that kind and material.
pub fn is_whole(path: &Path, kind: Kind, material: &Material) -> bool {
    // Opening a named pipe would block until somebody writes to it.
    path.metadata().is_ok_and(|data| data.is_file())
        && check(path, kind, material).is_ok_and(|whole| whole)
}

fn check(path: &Path, kind: Kind, material: &Material) -> io::Result<bool> {
    let mut file = File::open(path)?;
    let size = file.metadata()?.len();
    // Larger than any header.
    let mut head = Vec::new();
    file.by_ref().take(1 << 20).read_to_end(&mut head)?;
    Ok(end_of_data(&head, kind, material).is_some_and(|end| end <= size) && size % 64 == 16)
}

/// End of the last block according to the header; `None` if the header is inconsistent.
fn end_of_data(head: &[u8], kind: Kind, material: &Material) -> Option<u64> {
    let mut reader = Reader { bytes: head, at: 0 };
    let (magic, flags) = (reader.take(4)?, reader.byte()?);
    let split = kind == Kind::Result && flags & 1 != 0;
    // Asymmetric material has one table per side to move.
    if magic != kind.magic() || (kind == Kind::Result && split == material.is_symmetric()) {
        return None;
    }
    let sides: &[u32] = if split { &[0, 4] } else { &[0] };
    let mut positions = Vec::new();
    for file in 0..if material.has_pawns() { 4 } else { 1 } {
        let order = reader.take(material.men() + 1 + usize::from(material.pawns()[1] > 0))?;
        for shift in sides {
            positions.push(count_positions(order, *shift, file, material)?);
        }
    }
    reader.align(2);
    let tables = positions
        .into_iter()
        .map(|count| Pairs::read(&mut reader, count))
        .collect::<Option<Vec<_>>>()?;
    if kind == Kind::Distance {
        for table in &tables {
            table.skip_map(&mut reader)?;
        }
        reader.align(2);
    }
    let mut end = reader.at as u64;
    end += tables.iter().map(|table| table.index_bytes + table.size_bytes).sum::<u64>();
    for table in &tables {
        end = end.next_multiple_of(64).checked_add(table.block_bytes)?;
    }
    Some(end)
}

/// Number of positions a table indexes, from its piece order; `None` if the pieces do not match the
/// name.
fn count_positions(order: &[u8], shift: u32, file: u64, material: &Material) -> Option<u64> {
    let pawns = material.pawns();
    let two_colours = pawns[1] > 0;
    let nibble = |byte: &u8| byte >> shift & 15;
    let first_place = nibble(&order[0]);
    let second_place = if two_colours { nibble(&order[1]) } else { 15 };
    let pieces: Vec<u8> = order[1 + usize::from(two_colours)..].iter().map(nibble).collect();
    let mut found = [[0; 6]; 2];
    for piece in &pieces {
        // 1–6 are White's pawn to king, 9–14 Black's.
        let (side, man) = (usize::from(piece >> 3), usize::from(piece & 7).checked_sub(1)?);
        *found[side].get_mut(man)? += 1;
    }
    if Material(found) != *material {
        return None;
    }
    let mut leading = if material.has_pawns() {
        pawns[0]
    } else if material.only_kings_are_single() {
        2
    } else {
        3
    };
    let is_run = |run: &[u8]| run.iter().all(|piece| piece & 7 == 1 && *piece == run[0]);
    if material.has_pawns()
        && !(is_run(&pieces[..pawns[0]]) && is_run(&pieces[pawns[0]..pawns[0] + pawns[1]]))
    {
        return None;
    }
    let first = match (material.has_pawns(), leading) {
        (true, pawns) => pawn_placements(pawns as u64, file),
        (false, 2) => 462,
        (false, _) => 31_332,
    };
    let second = binomial(48 - pawns[0] as u64, pawns[1] as u64);
    leading += if material.has_pawns() { pawns[1] } else { 0 };
    let mut total: u64 = first.checked_mul(if two_colours { second } else { 1 })?;
    let mut groups = 1 + u8::from(two_colours);
    let mut free = 64 - leading as u64;
    while let Some(piece) = pieces.get(leading) {
        let alike = pieces[leading..].iter().take_while(|other| *other == piece).count();
        total = total.checked_mul(binomial(free, alike as u64))?;
        free -= alike as u64;
        leading += alike;
        groups += 1;
    }
    let placed = first_place < groups
        && (!two_colours || (second_place < groups && second_place != first_place));
    placed.then_some(total)
}

/// Placements of `pawns` pawns of one side with the leading one on `file` (0–3).
fn pawn_placements(pawns: u64, file: u64) -> u64 {
    (0..6).map(|rank| binomial(47 - 12 * file - 2 * rank, pawns - 1)).sum()
}

fn binomial(from: u64, choose: u64) -> u64 {
    if choose > from { 0 } else { (0..choose).fold(1, |product, i| product * (from - i) / (i + 1)) }
}

/// A compressed table: flags and the sizes of its parts.
struct Pairs {
    flags: u8,
    index_bytes: u64,
    size_bytes: u64,
    block_bytes: u64,
}

impl Pairs {
    fn read(reader: &mut Reader<'_>, positions: u64) -> Option<Pairs> {
        let flags = reader.byte()?;
        if flags & 0x80 != 0 {
            // Every position has the same value: no more data follows.
            reader.byte()?;
            return Some(Pairs { flags, index_bytes: 0, size_bytes: 0, block_bytes: 0 });
        }
        let (block_bits, index_bits, padding) = (reader.byte()?, reader.byte()?, reader.byte()?);
        let blocks = u64::from(reader.short()?) | u64::from(reader.short()?) << 16;
        let (longest, shortest) = (reader.byte()?, reader.byte()?);
        let sound = (3..32).contains(&block_bits) && (1..32).contains(&index_bits);
        if !sound || shortest == 0 || longest < shortest || longest > 32 {
            return None;
        }
        let offsets = (shortest..=longest).map(|_| reader.short()).collect::<Option<Vec<_>>>()?;
        let symbols = reader.short()?;
        let tree = reader.take(3 * usize::from(symbols) + usize::from(symbols & 1))?;
        if symbols >= 4096
            || !codes_name_symbols(&offsets, shortest, symbols)
            || !is_tree(tree, symbols)
        {
            return None;
        }
        Some(Pairs {
            flags,
            index_bytes: 6 * positions.div_ceil(1 << index_bits),
            size_bytes: 2 * (blocks + u64::from(padding)),
            block_bytes: blocks << block_bits,
        })
    }

    /// Skips the map from stored values to distances.
    fn skip_map(&self, reader: &mut Reader<'_>) -> Option<()> {
        if self.flags & 2 == 0 {
            return Some(());
        }
        let wide = self.flags & 16 != 0;
        if wide {
            reader.align(2);
        }
        for _ in 0..4 {
            let length =
                if wide { 2 * usize::from(reader.short()?) } else { usize::from(reader.byte()?) };
            reader.take(length)?;
        }
        Some(())
    }
}

/// Whether every Huffman code decodes to an existing symbol.
fn codes_name_symbols(offsets: &[u16], shortest: u8, symbols: u16) -> bool {
    // The first code of each length, longest last. The decoder compares codes left-aligned in 64
    // bits.
    let mut base = vec![0u64; offsets.len()];
    for i in (0..offsets.len() - 1).rev() {
        let next = base[i + 1] + u64::from(offsets[i]);
        let Some(difference) = next.checked_sub(u64::from(offsets[i + 1])) else { return false };
        base[i] = difference / 2;
    }
    let mut upper = u64::MAX;
    for (i, &offset) in offsets.iter().enumerate() {
        let length = u32::from(shortest) + i as u32;
        if base[i] >> length != 0 {
            return false;
        }
        let lowest = base[i] << (64 - length);
        if lowest <= upper
            && u64::from(offset) + ((upper - lowest) >> (64 - length)) >= u64::from(symbols)
        {
            return false;
        }
        match lowest.checked_sub(1) {
            Some(below) => upper = upper.min(below),
            None => return true, // every code is taken
        }
    }
    true
}

/// Whether each symbol's parts are symbols, and each symbol expands to at most 256 values.
fn is_tree(tree: &[u8], symbols: u16) -> bool {
    const LEAF: u16 = 0xFFF;
    let parts = |symbol: u16| {
        let at = 3 * usize::from(symbol);
        let [low, middle, high] = [tree[at], tree[at + 1], tree[at + 2]].map(u16::from);
        [low | (middle & 15) << 8, middle >> 4 | high << 4]
    };
    // Number of values of each symbol, minus one; `None` while unknown.
    let mut lengths: Vec<Option<u16>> = vec![None; usize::from(symbols)];
    let mut waiting: Vec<u16> = Vec::new();
    for symbol in 0..symbols {
        waiting.push(symbol);
        while let Some(&top) = waiting.last() {
            let [left, right] = parts(top);
            let length = if right == LEAF {
                Some(0)
            } else if left >= symbols || right >= symbols {
                return false;
            } else {
                let unknown =
                    [left, right].into_iter().find(|part| lengths[usize::from(*part)].is_none());
                waiting.extend(unknown);
                let [left, right] = [left, right].map(|part| lengths[usize::from(part)]);
                left.zip(right).map(|(left, right)| left + right + 1)
            };
            match length {
                Some(length) if length > 255 => return false,
                Some(length) => {
                    lengths[usize::from(top)] = Some(length);
                    waiting.pop();
                }
                // Deeper than the number of symbols: a cycle.
                None if waiting.len() > usize::from(symbols) + 1 => return false,
                None => {}
            }
        }
    }
    true
}

/// A cursor over bytes; `None` beyond the end.
struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let taken = self.bytes.get(self.at..self.at.checked_add(count)?)?;
        self.at += count;
        Some(taken)
    }

    fn byte(&mut self) -> Option<u8> {
        self.take(1).map(|bytes| bytes[0])
    }

    fn short(&mut self) -> Option<u16> {
        self.take(2).map(|bytes| u16::from_le_bytes([bytes[0], bytes[1]]))
    }

    fn align(&mut self, to: usize) {
        self.at = self.at.next_multiple_of(to);
    }
}

#[cfg(test)]
pub(super) mod tests {
    use std::path::PathBuf;

    use super::*;

    /// An empty folder for one test.
    pub fn scratch(name: &str) -> PathBuf {
        let folder =
            std::env::temp_dir().join(format!("megatherium-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        folder
    }

    #[test]
    fn names_are_material() {
        let men = |name| Material::parse(name).map(|material| material.men());
        assert_eq!(men("KQvK"), Some(3));
        assert_eq!(men("KQPvKR"), Some(5));
        for name in ["KvK", "KQvQ", "QvK", "KQK", "KQvK (1)", "", "v", "KXvK", "KQQQQQQvK", "kqvk"]
        {
            assert_eq!(men(name), None, "{name}");
        }
        assert_eq!(Material::parse("KPPvKP").map(|material| material.pawns()), Some([1, 2]));
    }

    #[test]
    fn numbers_of_placements() {
        assert_eq!(binomial(48, 2), 1128);
        assert_eq!(binomial(3, 5), 0);
        // One pawn: six ranks. Two pawns on files a to d: every pair of 48 squares, up to
        // mirroring.
        assert_eq!(pawn_placements(1, 0), 6);
        assert_eq!((0..4).map(|file| pawn_placements(2, file)).sum::<u64>(), 576);
    }

    /// A minimal table: king and knight against king is always drawn.
    pub fn knight() -> Vec<u8> {
        let mut file = Kind::Result.magic().to_vec();
        file.push(1);
        file.push(0); // the leading group comes first, for both sides to move
        file.extend([0x66, 0xEE, 0x22]); // the kings, then the knight
        file.push(0); // to an even place
        file.extend([0x80, 2, 0x80, 2]); // always 2, a draw, for both sides to move
        file.resize(64 + 16, 0);
        file
    }

    fn end(file: &[u8]) -> Option<u64> {
        end_of_data(file, Kind::Result, &Material::parse("KNvK").unwrap())
    }

    #[test]
    fn a_whole_table_is_whole() {
        assert_eq!(end(&knight()), Some(64));
        let folder = scratch("tables");
        let path = folder.join("KNvK.rtbw");
        let material = Material::parse("KNvK").unwrap();
        for length in [80, 79, 64, 16, 13, 4, 0] {
            std::fs::write(&path, &knight()[..length]).unwrap();
            assert_eq!(is_whole(&path, Kind::Result, &material), length == 80, "{length} bytes");
        }
        assert!(!is_whole(&folder, Kind::Result, &material), "a folder is no table");
        assert!(!is_whole(&folder.join("KBvK.rtbw"), Kind::Result, &material));
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_header_that_contradicts_the_name_is_refused() {
        for (place, value) in
            [(0, 0), (4, 0), (5, 0x22), (6, 0x55), (8, 0x11), (8, 0x77), (8, 0x33)]
        {
            let mut file = knight();
            file[place] = value;
            assert_eq!(end(&file), None, "byte {place} is {value:#x}");
        }
        assert_eq!(end_of_data(&knight(), Kind::Distance, &Material::parse("KNvK").unwrap()), None);
        assert_eq!(end_of_data(&knight(), Kind::Result, &Material::parse("KBvK").unwrap()), None);
    }

    #[test]
    fn symbols_must_make_a_tree() {
        let leaf = [7, 0xF0, 0xFF];
        let pair = |left: u16, right: u16| {
            [left as u8, (left >> 8 | (right & 15) << 4) as u8, (right >> 4) as u8]
        };
        let tree = |parts: &[[u8; 3]]| is_tree(parts.as_flattened(), parts.len() as u16);
        assert!(tree(&[leaf, leaf, pair(0, 1), pair(2, 2)]));
        assert!(tree(&[pair(1, 2), leaf, leaf]), "in any order");
        assert!(!tree(&[pair(0, 0)]), "a circle of one");
        assert!(!tree(&[pair(1, 2), pair(0, 2), leaf]), "a circle of two");
        assert!(!tree(&[leaf, pair(0, 5)]), "no such symbol");
        // Doubled nine times a symbol stands for 512 values.
        let doubled: Vec<_> = std::iter::once(leaf).chain((0..9).map(|n| pair(n, n))).collect();
        assert!(tree(&doubled[..9]) && !tree(&doubled));
    }

    #[test]
    fn codes_must_name_symbols() {
        // One bit: 1 is symbol 0, 0 is symbol 1.
        assert!(codes_name_symbols(&[0], 1, 2));
        assert!(!codes_name_symbols(&[0], 1, 1));
        assert!(!codes_name_symbols(&[1], 1, 2));
    }
}
