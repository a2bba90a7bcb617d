//! Values as a row of small bars.

/// Heights from the lowest that can be seen to the whole line.
const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// A bar for each value, from 0 to the highest of them all; a space where there is no value.
pub fn bars(values: impl Iterator<Item = Option<f64>> + Clone) -> String {
    let highest = values.clone().flatten().fold(0.0, f64::max);
    let bar = |value: f64| {
        let eighths = if highest > 0.0 { (value / highest * 8.0).ceil() } else { 0.0 };
        BARS[(eighths as usize).clamp(1, 8) - 1]
    };
    values.map(|value| value.filter(|value| value.is_finite()).map_or(' ', bar)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_rise_from_zero_to_the_highest_and_what_is_not_known_has_none() {
        let row = |values: &[Option<f64>]| bars(values.iter().copied());
        assert_eq!(row(&[Some(0.0), Some(5.0), None, Some(10.0)]), "▁▄ █");
        assert_eq!(row(&[Some(0.0), Some(0.0), Some(-1.0), Some(f64::NAN)]), "▁▁▁ ");
        assert_eq!(row(&[]), "");
    }
}
