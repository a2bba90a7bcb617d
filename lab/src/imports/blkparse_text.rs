//! blkparse's text: the I/Os that were issued to the driver.

use super::statement::{Outcome, PrintedNumber, StatedQuantity, Statement};

/// Counts the issues of the device whose line comes first.
///
/// # Errors
/// Where nothing was issued.
pub fn read(text: &str) -> Result<Statement, String> {
    let mut sums = [("read", 'R', 0.0, 0.0), ("write", 'W', 0.0, 0.0)];
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [_, _, _, _, _, "D", kind, _, "+", sectors, ..] = words.as_slice() else { continue };
        let Ok(sectors) = sectors.parse::<f64>() else { continue };
        if let Some(sum) = sums.iter_mut().find(|sum| kind.contains(sum.1)) {
            sum.2 += 1.0;
            sum.3 += 512.0 * sectors;
        }
    }
    let mut outcome = Outcome::default();
    for (direction, _, count, bytes) in sums.into_iter().filter(|sum| sum.2 > 0.0) {
        let exact = |value: f64| Some(PrintedNumber { value, rounding: 0.0 });
        outcome.put(direction, StatedQuantity::Operations, exact(count));
        outcome.put(direction, StatedQuantity::Bytes, exact(bytes));
    }
    if outcome.figures.is_empty() {
        return Err("nothing was issued".to_owned());
    }
    Ok(Statement { outcomes: vec![outcome], tracks: Vec::new() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn issues_alone_are_counted() {
        let text = "8,0 1 1 0.1 9 Q R 0 + 8 [a]\n8,0 1 2 0.2 9 D RS 0 + 8 [a]\n8,0 1 3 0.3 9 D N 0 [a]\n";
        let figures = read(text).unwrap().outcomes.remove(0).figures;
        assert_eq!(figures.iter().map(|figure| figure.value).collect::<Vec<_>>(), [1.0, 4096.0]);
        assert!(read("").is_err());
    }
}
