//! Attacks of Rooks and Bishops by magic bitboards (chessprogramming.org, "Magic Bitboards").
//!
//! For each square, a multiplication maps the blockers that matter to an index of a table of attack
//! sets. The tables are made at compile time, once per build.

#![allow(long_running_const_eval, reason = "two seconds of each build")]

use super::attacks::{Step, step};

const ORTHOGONAL: [Step; 2] = [(1, 0), (0, 1)];
const DIAGONAL: [Step; 2] = [(1, 1), (1, -1)];

/// Returns the squares of a line through a square, without that square.
const fn line(square: usize, forward: Step) -> u64 {
    let steps = [forward, (-forward.0, -forward.1)];
    let mut squares = 0;
    let mut i = 0;
    while i < 2 {
        let mut to = step(square, steps[i]);
        while to < 64 {
            squares |= 1 << to;
            to = step(to, steps[i]);
        }
        i += 1;
    }
    squares
}

/// Returns the squares of a line up to and including the first blocker on each side
/// (chessprogramming.org, "Hyperbola Quintessence").
const fn along(square: usize, line: u64, occupied: u64) -> u64 {
    let slider = 1u64 << square;
    let blockers = occupied & line;
    // On the last square of a direction the doubled bit is shifted out: no ray, no change.
    let up = blockers.wrapping_sub(slider << 1);
    let down = blockers.reverse_bits().wrapping_sub(slider.reverse_bits() << 1).reverse_bits();
    (up ^ down) & line
}

/// Returns the squares of a line where a blocker matters. The last one of each side does not.
const fn inner(square: usize, line: u64) -> u64 {
    const FILES: u64 = 0x8181_8181_8181_8181;
    const RANKS: u64 = 0xff00_0000_0000_00ff;
    let own_file = 0x0101_0101_0101_0101 << (square % 8);
    let own_rank = 0xff << (square / 8 * 8);
    line & !(FILES & !own_file) & !(RANKS & !own_rank)
}

/// The map from a square's blockers to an index of the table.
#[derive(Clone, Copy)]
struct Magic {
    mask: u64,
    factor: u64,
    /// The index of the square's first entry.
    start: u32,
    /// The product's bits that are not part of the index.
    shift: u32,
}

impl Magic {
    #[inline]
    const fn index(&self, occupied: u64) -> usize {
        let product = (occupied & self.mask).wrapping_mul(self.factor);
        self.start as usize + (product >> self.shift) as usize
    }
}

/// The attack sets of all squares, `N` in total: one for each arrangement of blockers that matters.
struct Table<const N: usize> {
    magics: [Magic; 64],
    attacks: [u64; N],
}

impl<const N: usize> Table<N> {
    #[inline]
    fn look_up(&self, square: usize, occupied: u64) -> u64 {
        self.attacks[self.magics[square].index(occupied)]
    }
}

static ROOK: Table<102_400> = make(ORTHOGONAL, &ROOK_FACTORS);
static BISHOP: Table<5_248> = make(DIAGONAL, &BISHOP_FACTORS);

const fn make<const N: usize>(directions: [Step; 2], factors: &[u64; 64]) -> Table<N> {
    let none = Magic { mask: 0, factor: 0, start: 0, shift: 0 };
    let mut table = Table { magics: [none; 64], attacks: [0; N] };
    let mut start = 0;
    let mut square = 0;
    while square < 64 {
        let lines = [line(square, directions[0]), line(square, directions[1])];
        let inner = [inner(square, lines[0]), inner(square, lines[1])];
        let mask = inner[0] | inner[1];
        let bits = mask.count_ones();
        let magic = Magic { mask, factor: factors[square], start, shift: 64 - bits };
        table.magics[square] = magic;
        let mut first = 0u64;
        loop {
            let reached = along(square, lines[0], first);
            let mut second = 0u64;
            loop {
                let attacks = reached | along(square, lines[1], second);
                let entry = &mut table.attacks[magic.index(first | second)];
                // Every square attacks others, so 0 means that the entry is free.
                assert!(*entry == 0 || *entry == attacks);
                *entry = attacks;
                second = second.wrapping_sub(inner[1]) & inner[1];
                if second == 0 {
                    break;
                }
            }
            first = first.wrapping_sub(inner[0]) & inner[0];
            if first == 0 {
                break;
            }
        }
        start += 1 << bits;
        square += 1;
    }
    assert!(start as usize == N);
    table
}

/// Returns the squares attacked by a Rook.
#[inline]
pub(super) fn rook(square: usize, occupied: u64) -> u64 {
    ROOK.look_up(square, occupied)
}

/// Returns the squares attacked by a Bishop.
#[inline]
pub(super) fn bishop(square: usize, occupied: u64) -> u64 {
    BISHOP.look_up(square, occupied)
}

// Found by trial: random numbers with few set bits were tried until one mapped no two arrangements
// of blockers with different attacks to one index. The build fails if a number does not.

#[rustfmt::skip]
const ROOK_FACTORS: [u64; 64] = [
    0x2080_0020_8040_0010, 0x00c0_0020_0140_1000, 0x2100_1100_0840_2002, 0x0880_0800_8104_1000,
    0x0200_0200_2004_1008, 0x2300_0400_0801_0012, 0x0c00_2830_0400_8201, 0x0180_0100_0040_7a80,
    0x0168_8000_8040_0020, 0x0010_4000_4020_1000, 0x1001_0020_0100_1048, 0x1001_0024_0810_0100,
    0x0801_0004_0801_0012, 0x4001_0002_0900_0400, 0x08a2_0004_c802_0001, 0x2002_8011_4500_2280,
    0x0080_8600_2100_4200, 0x0010_00c0_0940_2002, 0x00b0_0020_0400_2800, 0x100a_8080_1002_0800,
    0x8101_0100_0800_0410, 0x0244_0080_0200_0480, 0x0000_0400_1081_0208, 0x2000_0200_0044_8534,
    0x4104_4004_8000_8033, 0x0000_8101_0020_4000, 0x0440_4309_0020_0010, 0x4600_2409_0010_0100,
    0x0060_0800_8004_0080, 0x0001_0003_0008_0400, 0x0004_0844_0001_1002, 0x0023_0402_0000_8041,
    0x0580_0500_4300_2080, 0x0400_8040_0280_2008, 0x0001_0020_0100_4010, 0x1000_2009_0100_1000,
    0x4410_8008_0180_0c00, 0xa012_0038_0600_1004, 0x0020_1001_0400_8802, 0x0004_8084_0200_0041,
    0x0010_4001_7089_8000, 0x0080_5000_2000_4004, 0x1040_4080_1202_0020, 0x8010_0400_0800_4040,
    0x2001_0801_0011_0004, 0x0000_0200_0400_8080, 0x0021_0108_1004_0002, 0x0800_008c_4302_0024,
    0x0000_8000_2100_5100, 0x0070_2010_4000_8080, 0x0000_d042_8200_6a00, 0x0010_0144_0008_0240,
    0x0001_0801_1005_0100, 0x0012_0008_1024_0600, 0x0402_0008_0104_0200, 0x0281_0010_8a00_4100,
    0x0050_8003_0010_2045, 0x8208_2100_4012_0882, 0x8010_6001_0118_3441, 0x020b_0009_1000_6045,
    0x0241_0010_0248_0005, 0x0081_0004_0088_0241, 0x0000_0090_0802_4124, 0x0048_1229_8041_0402,
];

#[rustfmt::skip]
const BISHOP_FACTORS: [u64; 64] = [
    0x0848_0208_2204_0013, 0x8010_a400_8582_1200, 0x0008_0084_3084_0822, 0x0808_0481_0804_0000,
    0x1304_0421_0000_8104, 0x5001_0120_1020_4023, 0x8104_8801_b820_0420, 0x200a_0080_8401_2000,
    0x0040_1020_0104_2084, 0x840a_5050_4242_8020, 0x0000_7001_0220_2920, 0x4410_1c0c_1080_0002,
    0x0040_0404_2200_0000, 0x0180_0208_0209_0202, 0x4020_0208_1104_1202, 0x0001_0430_8c04_2000,
    0x4140_6610_0242_4400, 0x0028_0120_0801_0460, 0x0188_0621_0200_2a00, 0x0014_0048_4010_2008,
    0x0105_0002_9040_0002, 0x8001_0222_0041_0400, 0x104a_0419_1801_3446, 0x008a_0000_8200_8238,
    0x04a0_0600_0810_0430, 0x0008_2200_0882_0801, 0x2508_0412_0800_5010, 0x4008_0802_0020_2020,
    0x2441_0010_1300_4000, 0x0030_0080_6040_7000, 0x4008_1080_0042_0800, 0x0012_0210_5029_0100,
    0x0210_0804_8220_0500, 0xcc01_1120_4810_0480, 0x0020_4028_0650_0440, 0x0004_8e00_8058_0080,
    0x0040_1020_2002_0080, 0x0028_0104_4008_0807, 0x4601_0411_0800_8800, 0x8040_810e_0410_4200,
    0x9012_1011_0400_088a, 0xa003_0802_1208_1050, 0x00c1_0040_4840_1004, 0x9000_00a0_1440_0800,
    0x0008_0210_4040_5401, 0x4020_0082_0600_2090, 0x0004_1904_2403_0100, 0x0424_008a_0202_6250,
    0x8004_0882_5090_0040, 0x1c00_4300_88a0_4200, 0x0001_0200_9404_0001, 0x8040_2100_2088_0061,
    0x2010_0404_5044_2032, 0x0800_8408_5004_4001, 0x0004_0408_0214_0004, 0x0004_080a_0422_2020,
    0x8088_8021_1002_2000, 0x1081_a104_1611_4400, 0x0205_010a_2406_0820, 0x0000_0007_2041_1080,
    0x1008_0002_0843_0400, 0x580c_0260_2881_0840, 0x8020_2044_1020_a110, 0x12c0_0224_0102_0018,
];
