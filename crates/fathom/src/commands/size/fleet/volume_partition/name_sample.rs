//! A sample of names, by which volumes are divided into parts of about one size that follow each other in the order
//! of the names.

use std::collections::BTreeMap;

use fathom_sizing::fleet_volumes::hash;

/// Names that are kept: parts then differ in size by some percent.
const KEPT: usize = 8192;

/// The names whose hashes are the smallest: which they are does not depend on how often or when each is seen.
#[derive(Clone, Debug, Default)]
pub struct Names {
    kept: BTreeMap<u64, Box<[u8]>>,
}

impl Names {
    /// Takes a name.
    pub fn put(&mut self, name: &[u8]) {
        let hash = hash(name);
        let is_full = self.kept.len() >= KEPT;
        if is_full && self.kept.last_key_value().is_some_and(|(largest, _)| hash >= *largest) {
            return;
        }
        if self.kept.insert(hash, name.into()).is_none() && is_full {
            self.kept.pop_last();
        }
    }

    /// Takes those of another sample.
    pub fn merge(&mut self, other: &Self) {
        other.kept.values().for_each(|name| self.put(name));
    }

    /// How many are known, up to what is kept.
    pub fn count(&self) -> usize {
        self.kept.len()
    }

    /// The first names of all parts but the first, for so many parts at most.
    pub fn divided(&self, parts: usize) -> Vec<Box<[u8]>> {
        let mut names: Vec<&Box<[u8]>> = self.kept.values().collect();
        names.sort_unstable();
        let mut firsts: Vec<Box<[u8]>> = (1..parts)
            .filter_map(|part| names.get(part * names.len() / parts))
            .map(|name| (*name).clone())
            .collect();
        firsts.dedup();
        firsts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_of_about_one_size_whatever_the_order() {
        let names: Vec<String> = (0..50_000).map(|number| format!("vol-{number:06}")).collect();
        let of = |order: &mut dyn Iterator<Item = &String>| {
            let mut sample = Names::default();
            order.for_each(|name| sample.put(name.as_bytes()));
            sample.divided(10)
        };
        let firsts = of(&mut names.iter());
        assert_eq!(firsts, of(&mut names.iter().rev().chain(&names)));
        assert_eq!(firsts.len(), 9);
        for (part, first) in firsts.iter().enumerate() {
            let below = names.partition_point(|name| name.as_bytes() < &**first);
            assert!(below.abs_diff((part + 1) * 5000) < 1000, "{part}: {below}");
        }
        let mut few = Names::default();
        few.put(b"only");
        assert!(few.divided(8).len() <= 1 && Names::default().divided(8).is_empty());
    }
}
