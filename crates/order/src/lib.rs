//! Lists put in order by one sort for all of them. The standard library's is compiled once more for each kind of element and
//! each way to compare, as four to eight kilobytes that are never run for most lists: this one is compiled once, over the
//! elements' numbers, and asks its caller to compare. Where many elements are sorted, the standard one is faster.

use std::cmp::Ordering;

/// Sorting of short lists; what compares as equal stays as it was.
pub trait InOrder<T> {
    /// Puts what compares as less first.
    fn put_in_order_by(&mut self, compare: impl FnMut(&T, &T) -> Ordering);

    /// Puts the least key first. A key is made each time that its element is compared.
    fn put_in_order_by_key<K: Ord>(&mut self, key: impl FnMut(&T) -> K);
}

impl<T> InOrder<T> for [T] {
    fn put_in_order_by(&mut self, mut compare: impl FnMut(&T, &T) -> Ordering) {
        let order = order_of(self.len(), &mut |one, other| compare(&self[one], &self[other]));
        rearrange(order, &mut |one, other| self.swap(one, other));
    }

    fn put_in_order_by_key<K: Ord>(&mut self, mut key: impl FnMut(&T) -> K) {
        self.put_in_order_by(|one, other| key(one).cmp(&key(other)));
    }
}

/// Which of so many elements comes first, which second, and so on.
fn order_of(count: usize, compare: &mut dyn FnMut(usize, usize) -> Ordering) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by(|&one, &other| compare(one, other));
    order
}

/// Brings elements into an order by exchanges, at most one for each.
fn rearrange(mut order: Vec<usize>, swap: &mut dyn FnMut(usize, usize)) {
    for first in 0..order.len() {
        // A ring of places, each of which takes what is in the next: what the first held is handed on to the last.
        let mut place = first;
        loop {
            let from = std::mem::replace(&mut order[place], place);
            if from == first || from == place {
                break;
            }
            swap(place, from);
            place = from;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_order_is_that_of_a_stable_sort(keys in vec(0u8..12, 0..80)) {
            let numbered: Vec<(u8, String)> =
                keys.iter().enumerate().map(|(number, key)| (*key, number.to_string())).collect();
            let mut expected = numbered.clone();
            expected.sort_by_key(|(key, _)| *key);
            let (mut by, mut by_key) = (numbered.clone(), numbered);
            by.put_in_order_by(|one, other| one.0.cmp(&other.0));
            by_key.put_in_order_by_key(|(key, _)| *key);
            prop_assert_eq!(&by, &expected);
            prop_assert_eq!(by_key, expected);
        }
    }
}
