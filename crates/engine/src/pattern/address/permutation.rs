//! A random order of the numbers below any bound, computed instead of stored.
//!
//! The numbers are laid out as a table that is nearly square, and a Feistel network runs over row and
//! column: each round adds a keyed hash of one of them to the other, modulo its bound, which can be
//! undone and so is a bijection whatever the hash. The table has less than one row more cells than
//! numbers; results beyond the bound are skipped.
//! Black, Rogaway: "Ciphers with arbitrary finite domains", CT-RSA 2002 (generalised Feistel and
//! cycle walking).

use rand::Rng;

use crate::pattern::seed::below;

/// Rounds of two keys each. Three rounds of random functions make a random-looking permutation (Luby,
/// Rackoff: "How to construct pseudorandom permutations", 1988).
const ROUNDS: usize = 3;

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
        let rows = bound.isqrt().max(1);
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

    /// The next number in random order, and the place after it; `None` when all were given.
    #[inline(always)]
    pub fn step(&self, place: &mut Cell) -> Option<u64> {
        while place.row < self.rows {
            let number = self.mix(*place);
            place.column += 1;
            if place.column == self.columns {
                *place = Cell { row: place.row + 1, column: 0 };
            }
            if number < self.bound {
                return Some(number);
            }
        }
        None
    }

    #[inline(always)]
    fn mix(&self, cell: Cell) -> u64 {
        let [first, second, third] = self.keys;
        let row = add(cell.row, hash(cell.column, first), self.rows);
        let column = add(cell.column, hash(row, second), self.columns);
        let row = add(row, hash(column, third), self.rows);
        row * self.columns + column
    }
}

/// `value` plus a share of `bound`, modulo `bound`; `value` is below it.
#[inline(always)]
fn add(value: u64, random: u64, bound: u64) -> u64 {
    let sum = value + below(random, bound);
    if sum >= bound { sum - bound } else { sum }
}

/// Folded multiplication. The halves are crossed so that the leading bits, which choose the share of
/// the bound, depend on all of them.
#[inline(always)]
fn hash(value: u64, (key, factor): (u64, u64)) -> u64 {
    let product = u128::from(value ^ key) * u128::from(factor);
    let folded = product as u64 ^ (product >> 64) as u64;
    folded ^ folded.rotate_left(32)
}
