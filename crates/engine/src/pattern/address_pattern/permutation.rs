//! A random order of the numbers below any bound, computed instead of stored.
//!
//! The numbers are laid out as a table that is nearly square, and a Feistel network runs over row and
//! column: each round adds a keyed hash of one of them to the other, modulo its bound, which can be
//! undone and so is a bijection whatever the hash. The table has less than one row more cells than
//! numbers; results beyond the bound are skipped.
//! Black, Rogaway: "Ciphers with arbitrary finite domains", CT-RSA 2002 (generalised Feistel and
//! cycle walking).

use std::hint::select_unpredictable;

use rand::Rng;

/// Rounds, each with two keys. With four both row and column were changed twice, by hashes of changed
/// numbers (Luby, Rackoff: "How to construct pseudorandom permutations", 1988).
const ROUNDS: usize = 4;

/// A bijection of the numbers below `bound`.
#[derive(Clone, Debug)]
pub(super) struct Permutation {
    bound: u64,
    rows: u64,
    columns: u64,
    keys: [(u64, u64); ROUNDS],
}

/// A cell of the table.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Cell {
    row: u64,
    column: u64,
}

impl Permutation {
    /// Of the numbers below `bound`, which is below 2^62; a bound of 0 counts as 1.
    pub fn new(bound: u64, random: &mut impl Rng) -> Self {
        let bound = bound.max(1);
        let rows = bound.isqrt();
        let columns = bound.div_ceil(rows);
        let mut permutation = Self { bound, rows, columns, keys: [(0, 0); ROUNDS] };
        permutation.shuffle(random);
        permutation
    }

    /// Makes it another bijection of the same numbers.
    pub fn shuffle(&mut self, random: &mut impl Rng) {
        // Odd, so that the multiplication loses nothing.
        self.keys = std::array::from_fn(|_| (random.next_u64(), random.next_u64() | 1));
    }

    /// The number that takes the place of `index`, which is below the bound.
    pub fn at(&self, index: u64) -> u64 {
        let mut number = index;
        loop {
            number = self.mix(Cell { row: number / self.columns, column: number % self.columns });
            if number < self.bound {
                return number;
            }
        }
    }

    /// Fills `numbers` with those that come next in random order, moves `place` behind them, and says
    /// how many there were: less than all only where the order ends.
    #[inline]
    pub fn fill(&self, place: &mut Cell, numbers: &mut [u64]) -> usize {
        let mut cell = *place;
        let mut given = 0;
        while given < numbers.len() && cell.row < self.rows {
            let number = self.mix(cell);
            cell.column += 1;
            if cell.column == self.columns {
                cell = Cell { row: cell.row + 1, column: 0 };
            }
            // Written in any case, kept only if it is below the bound.
            numbers[given] = number;
            given += usize::from(number < self.bound);
        }
        *place = cell;
        given
    }

    #[inline(always)]
    fn mix(&self, cell: Cell) -> u64 {
        let [first, second, third, fourth] = self.keys;
        let row = add(cell.row, hash(cell.column, first), self.rows);
        let column = add(cell.column, hash(row, second), self.columns);
        let row = add(row, hash(column, third), self.rows);
        let column = add(column, hash(row, fourth), self.columns);
        row * self.columns + column
    }
}

/// `value` plus a random share of `bound`, modulo `bound`; `value` is below it, and it is below 2^32.
#[inline(always)]
fn add(value: u64, random: u32, bound: u64) -> u64 {
    let sum = value + ((u64::from(random) * bound) >> 32);
    // Either way is as likely as the other; a branch would be mispredicted every second time.
    select_unpredictable(sum >= bound, sum.wrapping_sub(bound), sum)
}

/// Multiplicative hash with both halves of the product folded: one of them alone would grow by equal
/// steps with the value.
#[inline(always)]
fn hash(value: u64, (key, factor): (u64, u64)) -> u32 {
    let product = (value ^ key).wrapping_mul(factor);
    (product >> 32) as u32 ^ product as u32
}
