//! Lists of numbers as planes of bytes: all lowest bytes first, then all of the next place, as many
//! places as the largest number has.
//!
//! Higher planes are mostly equal bytes, which LZ4 takes away, and a plane is decoded without a
//! branch for each number: several times the speed of numbers of varying length.

use std::borrow::Cow;

use serde::{Deserialize, Serialize, Serializer};

use super::payload_frame::BlobError;

#[derive(Serialize, Deserialize)]
pub(super) struct PackedV1<'a> {
    /// Number of planes, 1 to 8.
    width: u8,
    /// The planes, one after the other, equally long.
    #[serde(borrow, serialize_with = "at_once")]
    planes: Cow<'a, [u8]>,
}

/// Writes the planes as bytes: the same in the payload as a list of numbers of one byte, without a call for each.
fn at_once<S: Serializer>(planes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_bytes(planes)
}

impl PackedV1<'_> {
    pub(super) fn of(numbers: impl Iterator<Item = u64> + Clone) -> Self {
        let (count, largest) =
            numbers.clone().fold((0, 0), |(count, largest), n| (count + 1, n.max(largest)));
        let width = (u64::BITS - largest.leading_zeros()).div_ceil(8).max(1) as u8;
        let mut planes = vec![0; count * usize::from(width)];
        // All places of a number in one pass over the list.
        for (mut place, number) in numbers.enumerate() {
            for byte in number.to_le_bytes().into_iter().take(width.into()) {
                planes[place] = byte;
                place += count;
            }
        }
        Self { width, planes: planes.into() }
    }

    /// How many numbers there are, if the planes are equally long.
    fn count(&self) -> Result<usize, BlobError> {
        let width = usize::from(self.width);
        if !(1..=8).contains(&width) || !self.planes.len().is_multiple_of(width) {
            return Err(BlobError::Damaged("its series have planes of unequal length"));
        }
        Ok(self.planes.len() / width)
    }

    pub(super) fn numbers(&self) -> Result<Vec<u64>, BlobError> {
        let mut numbers = vec![0; self.count()?];
        self.write_every(1, &mut numbers);
        Ok(numbers)
    }

    /// The numbers of two lists in turn, beginning with `first`, which may have one more.
    pub(super) fn interleave(first: &Self, second: &Self) -> Result<Vec<u64>, BlobError> {
        let (first_count, second_count) = (first.count()?, second.count()?);
        if first_count != second_count && first_count != second_count + 1 {
            return Err(BlobError::Damaged("its series have lists that do not belong together"));
        }
        let mut numbers = vec![0; first_count + second_count];
        first.write_every(2, &mut numbers);
        second.write_every(2, numbers.get_mut(1..).unwrap_or_default());
        Ok(numbers)
    }

    /// Adds the numbers to every `step`-th of `to`, which are 0.
    fn write_every(&self, step: usize, to: &mut [u64]) {
        let count = self.planes.len() / usize::from(self.width);
        if count == 0 {
            return;
        }
        for (place, plane) in self.planes.chunks_exact(count).enumerate() {
            for (number, byte) in to.iter_mut().step_by(step).zip(plane) {
                *number |= u64::from(*byte) << (8 * place);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn any_numbers() -> impl Strategy<Value = Vec<u64>> {
        (0u32..64)
            .prop_flat_map(|shift| prop::collection::vec(any::<u64>().prop_map(move |n| n >> shift), 0..40))
    }

    proptest! {
        #[test]
        fn numbers_read_back(numbers in any_numbers()) {
            let packed = PackedV1::of(numbers.iter().copied());
            prop_assert_eq!(packed.numbers(), Ok(numbers.clone()));
            let even = PackedV1::of(numbers.iter().copied().step_by(2));
            let odd = PackedV1::of(numbers.iter().copied().skip(1).step_by(2));
            prop_assert_eq!(PackedV1::interleave(&even, &odd), Ok(numbers));
        }

        #[test]
        fn any_planes_are_read_or_refused(width: u8, a in prop::collection::vec(any::<u8>(), 0..40), other: u8, b in prop::collection::vec(any::<u8>(), 0..40)) {
            let first = PackedV1 { width, planes: a.into() };
            let second = PackedV1 { width: other, planes: b.into() };
            let _ = (first.numbers(), PackedV1::interleave(&first, &second));
        }
    }

    #[test]
    fn lists_that_do_not_belong_together_are_refused() {
        let (three, one) = (PackedV1::of([1, 2, 3].into_iter()), PackedV1::of([1].into_iter()));
        assert!(PackedV1::interleave(&three, &one).is_err());
        assert!(PackedV1::interleave(&one, &three).is_err());
        assert!(PackedV1 { width: 2, planes: vec![0; 3].into() }.numbers().is_err());
        assert!(PackedV1 { width: 0, planes: vec![].into() }.numbers().is_err());
    }
}
