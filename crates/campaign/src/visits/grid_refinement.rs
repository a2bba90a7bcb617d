//! Which cells of a grid are worth a first visit: those where neighbours differ.
//!
//! Along its longest axis each line of the grid is measured at both ends and in the middle; where the
//! three agree the cells between them are left out, otherwise each half is looked at in the same way.

/// Rates that differ by less than this count as the same: below it a cell in between can hardly be told
/// from its neighbours by one run.
const SAME: f64 = 0.05;

/// Cells to measure next, by their number in the grid; empty when no more is to be learned.
/// `rates` are those of a first visit.
pub fn wanted(lengths: &[usize], rates: &[Option<f64>]) -> Vec<usize> {
    let Some(axis) = (0..lengths.len()).max_by_key(|at| (lengths[*at], usize::MAX - at)) else {
        return Vec::new();
    };
    let stride: usize = lengths[axis + 1..].iter().product();
    let length = lengths[axis];
    let mut cells = Vec::new();
    for first in (0..rates.len()).filter(|cell| (cell / stride).is_multiple_of(length)) {
        let at = |place: usize| first + place * stride;
        split(0, length - 1, &|place| rates[at(place)], &mut |place| cells.push(at(place)));
    }
    cells.sort_unstable();
    cells.dedup();
    cells
}

fn split(low: usize, high: usize, rate: &dyn Fn(usize) -> Option<f64>, want: &mut dyn FnMut(usize)) {
    let middle = low.midpoint(high);
    let places = [low, middle, high];
    let missing: Vec<usize> = places.into_iter().filter(|place| rate(*place).is_none()).collect();
    if !missing.is_empty() {
        missing.into_iter().for_each(want);
        return;
    }
    let rates = places.map(|place| rate(place).unwrap_or_default());
    let (least, most) =
        (rates.iter().copied().fold(f64::MAX, f64::min), rates.iter().copied().fold(0.0, f64::max));
    if most <= least * (1.0 + SAME) {
        return;
    }
    for (low, high) in [(low, middle), (middle, high)] {
        if high - low > 1 {
            split(low, high, rate, want);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Measures what is wanted of a curve until nothing is; returns the places measured.
    fn measured(lengths: &[usize], curve: impl Fn(usize) -> f64) -> Vec<usize> {
        let mut rates = vec![None; lengths.iter().product()];
        loop {
            let cells = wanted(lengths, &rates);
            if cells.is_empty() {
                return (0..rates.len()).filter(|cell| rates[*cell].is_some()).collect();
            }
            cells.iter().for_each(|cell| rates[*cell] = Some(curve(*cell)));
        }
    }

    #[test]
    fn a_plateau_is_measured_at_its_ends_and_middle() {
        assert_eq!(measured(&[9], |_| 100.0), [0, 4, 8]);
        // Rising to the fourth, flat from there.
        assert_eq!(measured(&[17], |cell| 100.0 * cell.min(4) as f64 + 1.0), [0, 1, 2, 3, 4, 6, 8, 12, 16]);
    }

    #[test]
    fn a_peak_between_equal_ends_is_found() {
        let cells = measured(&[9], |cell| 100.0 - (cell as f64 - 4.0).abs() * 20.0);
        assert_eq!(cells, (0..9).collect::<Vec<_>>());
    }

    #[test]
    fn every_line_of_a_grid_is_looked_at_by_itself() {
        // The first of two lines is flat; the second is not.
        let cells = measured(&[2, 5], |cell| if cell < 5 { 7.0 } else { cell as f64 * 10.0 });
        assert_eq!(cells, [0, 2, 4, 5, 6, 7, 8, 9]);
        assert_eq!(measured(&[1], |_| 1.0), [0]);
    }
}
