//! Magic bitboards: the attack tables of bishops and rooks, built at compile time.
//!
//! The occupied squares that can stop a slider are multiplied by a number that gathers them in the
//! top bits; these bits index the square's part of the table. The multipliers were found by
//! `examples/find_magics.rs`. The tables are constants in the binary: they need no initialisation
//! and no instruction that only some processors have.

use crate::Bitboard;

/// How one square finds its place in [`TABLE`].
#[derive(Clone, Copy)]
struct Magic {
    mask: u64,
    factor: u64,
    shift: u32,
    offset: u32,
}

impl Magic {
    #[inline]
    const fn index(&self, occupied: u64) -> usize {
        ((occupied & self.mask).wrapping_mul(self.factor) >> self.shift) as usize
            + self.offset as usize
    }
}

const ROOK_ENTRIES: usize = 102_400;
const BISHOP_ENTRIES: usize = 5_248;

/// The line through a square with the given step, without the square itself.
const fn line(square: usize, df: i32, dr: i32) -> u64 {
    let mut line = 0;
    let mut sign = -1;
    while sign <= 1 {
        let (mut file, mut rank) = (square as i32 % 8, square as i32 / 8);
        loop {
            file += df * sign;
            rank += dr * sign;
            if file < 0 || file > 7 || rank < 0 || rank > 7 {
                break;
            }
            line |= 1 << (rank * 8 + file);
        }
        sign += 2;
    }
    line
}

/// Attacks along one line by subtraction: taking the slider twice from the occupied squares borrows
/// through all empty squares up to the first blocker, and the changed bits are the attacked ones.
/// The reversed board does the other direction.
const fn attacks_on_line(square: usize, line: u64, occupied: u64) -> u64 {
    let slider = 1u64 << square;
    let blockers = occupied & line;
    let up = blockers.wrapping_sub(slider.wrapping_mul(2));
    let down =
        blockers.reverse_bits().wrapping_sub(slider.reverse_bits().wrapping_mul(2)).reverse_bits();
    (up ^ down) & line
}

/// The two lines of a rook or of a bishop.
const fn lines(square: usize, rook: bool) -> (u64, u64) {
    if rook {
        (line(square, 1, 0), line(square, 0, 1))
    } else {
        (line(square, 1, 1), line(square, 1, -1))
    }
}

/// The squares of the two lines whose occupancy matters: not the edge a line ends at.
const fn relevant(square: usize, rook: bool) -> u64 {
    let (first, second) = lines(square, rook);
    let ranks = if rook { Bitboard::file(square as u8 % 8).0 } else { !0 };
    let files = if rook { Bitboard::rank(square as u8 / 8).0 } else { !0 };
    let edge_ranks = (Bitboard::rank(0).0 | Bitboard::rank(7).0) & ranks;
    let edge_files = (Bitboard::file(0).0 | Bitboard::file(7).0) & files;
    (first | second) & !edge_ranks & !edge_files
}

const fn place(factors: &[u64; 64], rook: bool, mut offset: u32) -> [Magic; 64] {
    let mut magics = [Magic { mask: 0, factor: 0, shift: 0, offset: 0 }; 64];
    let mut square = 0;
    while square < 64 {
        let mask = relevant(square, rook);
        magics[square] =
            Magic { mask, factor: factors[square], shift: 64 - mask.count_ones(), offset };
        offset += 1 << mask.count_ones();
        square += 1;
    }
    magics
}

const fn fill<const N: usize>(
    mut table: [Bitboard; N],
    magics: &[Magic; 64],
    rook: bool,
) -> [Bitboard; N] {
    let mut square = 0;
    while square < 64 {
        let magic = magics[square];
        let (first, second) = lines(square, rook);
        // All subsets of the mask, each the predecessor of the next in the order of binary numbers.
        let mut occupied = 0u64;
        loop {
            let attacks = attacks_on_line(square, first, occupied)
                | attacks_on_line(square, second, occupied);
            table[magic.index(occupied)] = Bitboard(attacks);
            occupied = occupied.wrapping_sub(magic.mask) & magic.mask;
            if occupied == 0 {
                break;
            }
        }
        square += 1;
    }
    table
}

static ROOKS: [Magic; 64] = place(&ROOK_FACTORS, true, 0);
static BISHOPS: [Magic; 64] = place(&BISHOP_FACTORS, false, ROOK_ENTRIES as u32);

#[expect(long_running_const_eval, reason = "107,648 entries, about a second")]
static TABLE: [Bitboard; ROOK_ENTRIES + BISHOP_ENTRIES] = {
    let empty = [Bitboard::EMPTY; ROOK_ENTRIES + BISHOP_ENTRIES];
    let with_rooks = fill(empty, &place(&ROOK_FACTORS, true, 0), true);
    fill(with_rooks, &place(&BISHOP_FACTORS, false, ROOK_ENTRIES as u32), false)
};

/// Attacks of a rook on `square & 63`.
#[inline]
pub(crate) fn rook(square: usize, occupied: Bitboard) -> Bitboard {
    TABLE[ROOKS[square & 63].index(occupied.0)]
}

/// Attacks of a bishop on `square & 63`.
#[inline]
pub(crate) fn bishop(square: usize, occupied: Bitboard) -> Bitboard {
    TABLE[BISHOPS[square & 63].index(occupied.0)]
}

const ROOK_FACTORS: [u64; 64] = [
    0x0180004000112180,
    0x0240011000200044,
    0x0680200080100008,
    0x2080080104801000,
    0xa080020400800801,
    0x0500010002440008,
    0x02002314038a0008,
    0x0080043080014300,
    0x0060800040002084,
    0x0088808020004000,
    0x0901002000104900,
    0x2091000820100500,
    0x2201000412080100,
    0x0041000208840100,
    0x0040808001008200,
    0x00008020d5000280,
    0x0200208000804000,
    0xc010004020004008,
    0x4802020012402480,
    0x0c20808010000800,
    0x1004808008000401,
    0x0001010004000208,
    0x0000808002000100,
    0x4304020000508411,
    0x4000400080008020,
    0x144b844200210200,
    0x6500104100200500,
    0x8000100480080280,
    0x0401005300080004,
    0x0000020080040080,
    0x4000028400100108,
    0x1150008200006104,
    0x0002400081800020,
    0x1238402002401000,
    0x2810100080802002,
    0x0008082042001200,
    0x00d0800802800400,
    0x4022002004040010,
    0x0000420824009021,
    0x20000509420000b4,
    0x0000800100410028,
    0x1120200040008080,
    0x0483002002110040,
    0x0008000810008080,
    0x8a08010010050008,
    0x300a000204008080,
    0x0301000200010104,
    0x008001006286000c,
    0x2008204100800500,
    0x0004208442010200,
    0x1020004010080040,
    0x4000081022004200,
    0x0008000590490100,
    0x8201000804000300,
    0x2000500182480400,
    0x2220091880440200,
    0x8008408000281101,
    0x06184004e2810011,
    0x0404220842001082,
    0x0204100008042101,
    0x0002006428902002,
    0x4101000802040001,
    0x1400011090081204,
    0x0282004430810402,
];

const BISHOP_FACTORS: [u64; 64] = [
    0x1430200200460022,
    0x4212082250860088,
    0x0088086104203044,
    0x2084042084035804,
    0x30011041800c0100,
    0x0049100210400040,
    0x5001010120208000,
    0x1000404050301000,
    0x0049042024110211,
    0x9840504218005080,
    0x0044c41904131000,
    0x4308041046000088,
    0x0420084840000000,
    0x0041010c02418404,
    0x0024810110500404,
    0x1010004c12080200,
    0x0060622883101200,
    0x8008840408808400,
    0x8008101000212520,
    0x0008001092004010,
    0x0061000820081001,
    0x08a0200610042000,
    0x00020004091422a0,
    0x4088500300461000,
    0x4002108008901080,
    0x0002024150144800,
    0x59103001020401c4,
    0x4150040002401060,
    0x1214840020802000,
    0x0430048009008081,
    0x00480200c0410481,
    0x1162020908410080,
    0x0030421080a00400,
    0x3095312830301001,
    0x1000240840040800,
    0x12041108000c0040,
    0x22c0004011810100,
    0x0004041020841004,
    0x0110611452020208,
    0x40010a0e11808240,
    0x0488080410020601,
    0x6022080434208200,
    0x00004c00c800240a,
    0x4041052214002800,
    0x0002082100488400,
    0x0440104401c00020,
    0x002d442082040409,
    0x001000810100a050,
    0x0001010860040480,
    0x8000804808848040,
    0x0099110080d02004,
    0x8000004104090404,
    0xc010320820884006,
    0x0048041022020100,
    0x5008101040890800,
    0x84500200a1021000,
    0x1002002201100840,
    0x80048100a2100210,
    0x00000022808c4100,
    0x0080000102104401,
    0x4000c04004050400,
    0x1200020802680204,
    0x000008132c080206,
    0x0020020088009080,
];

#[cfg(test)]
mod tests {
    use super::*;

    fn walk(square: usize, occupied: u64, steps: [(i32, i32); 4]) -> u64 {
        let mut seen = 0;
        for (df, dr) in steps {
            let (mut file, mut rank) = (square as i32 % 8 + df, square as i32 / 8 + dr);
            while (0..8).contains(&file) && (0..8).contains(&rank) {
                let bit = 1u64 << (rank * 8 + file);
                seen |= bit;
                if occupied & bit != 0 {
                    break;
                }
                file += df;
                rank += dr;
            }
        }
        seen
    }

    #[test]
    fn tables_agree_with_walking() {
        let mut occupied = 0x0123_4567_89AB_CDEFu64;
        for _ in 0..2_000 {
            occupied =
                occupied.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(0x1405_7B7E_F767_814F);
            let sparse = occupied & occupied.rotate_left(17);
            for square in 0..64 {
                for blockers in [occupied, sparse] {
                    let orthogonal = walk(square, blockers, [(1, 0), (-1, 0), (0, 1), (0, -1)]);
                    let diagonal = walk(square, blockers, [(1, 1), (-1, 1), (1, -1), (-1, -1)]);
                    assert_eq!(rook(square, Bitboard(blockers)).0, orthogonal);
                    assert_eq!(bishop(square, Bitboard(blockers)).0, diagonal);
                }
            }
        }
    }
}
