//! When a growing series is judged: at 120 s, and then each time it is 15 % longer.

/// Length of the series at the first look, in seconds.
pub const FIRST_S: usize = 120;
/// Growth between looks.
pub const GROWTH: f64 = 1.15;

/// The next length after `seconds` at which the series is to be judged.
pub fn after(seconds: usize) -> usize {
    looks().find(|look| *look > seconds).unwrap_or(usize::MAX)
}

/// All lengths at which a series is judged.
pub fn looks() -> impl Iterator<Item = usize> {
    std::iter::successors(Some(FIRST_S), |look| {
        let next = *look as f64 * GROWTH;
        (next < 1e15).then_some(next as usize + 1)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looks_are_geometric() {
        let first: Vec<usize> = looks().take(5).collect();
        assert_eq!(first, [120, 139, 160, 185, 213]);
        assert_eq!(after(0), 120);
        assert_eq!(after(120), 139);
        assert_eq!(after(150), 160);
        // An hour is looked at 25 times, not 3600 times.
        assert_eq!(looks().take_while(|look| *look <= 3600).count(), 25);
    }
}
