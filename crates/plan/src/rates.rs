//! Rates that change from step to step, as text: `500,4k*3,0*2`.

use super::quantity;
use fathom_record::Fault;

/// Steps of one plan: more than a week of seconds.
const MOST_STEPS: usize = 1_000_000;

/// Reads a list of rates a second; a count behind `*` repeats one.
pub fn read(text: &str) -> Result<Vec<f64>, Fault> {
    let mut rates = Vec::new();
    for part in text.split(',').map(str::trim) {
        let (rate, times) = part.split_once('*').unwrap_or((part, "1"));
        let rate = if rate.trim() == "0" { 0.0 } else { quantity::rate_per_s(rate.trim())? };
        let times = times.trim().parse::<usize>().ok().filter(|times| (1..=MOST_STEPS).contains(times));
        let times = times
            .ok_or_else(|| Fault::from(format!("`{part}` repeats no number of times: write it as 4k*3")))?;
        if rates.len() + times > MOST_STEPS {
            return Err(Fault::from(format!("more than {MOST_STEPS} steps: make them longer")));
        }
        rates.extend(std::iter::repeat_n(rate, times));
    }
    Ok(rates)
}

/// Rates a second as the value of `rates`, equal ones beside each other as one.
pub fn write(rates_per_s: &[f64]) -> String {
    let runs = rates_per_s.chunk_by(|a, b| a == b).map(|run| {
        let rate = if run[0] == 0.0 { "0".to_owned() } else { quantity::write_rate_per_s(run[0]) };
        if run.len() == 1 { rate } else { format!("{rate}*{}", run.len()) }
    });
    runs.collect::<Vec<_>>().join(",")
}

/// Operations per second of reads and of writes, where each may have none.
type RatePair = (Option<f64>, Option<f64>);

/// Rates of reads and of writes, `100,50`, where one may be left out; nothing where the text is one rate.
pub fn read_both(text: &str) -> Result<Option<RatePair>, Fault> {
    let Some((read, write)) = text.split_once(',') else { return Ok(None) };
    let rate = |text: &str| match text.trim() {
        "" => Ok(None),
        text => quantity::rate_per_s(text).map(Some),
    };
    match (rate(read)?, rate(write)?) {
        (None, None) => Err(Fault::from(format!(
            "`{text}` has no rate: write one for reads, for writes or both, e.g. 100,50"
        ))),
        both => Ok(Some(both)),
    }
}

/// Rates of reads and of writes as [`read_both`] reads them.
pub fn write_both(read_per_s: Option<f64>, write_per_s: Option<f64>) -> String {
    let rate = |rate: Option<f64>| rate.map(quantity::write_rate_per_s).unwrap_or_default();
    format!("{},{}", rate(read_per_s), rate(write_per_s))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_of_both_directions_are_read_and_written() {
        for (text, both) in [
            ("100,5k", (Some(100.0), Some(5000.0))),
            (",128", (None, Some(128.0))),
            ("1k,", (Some(1000.0), None)),
        ] {
            assert_eq!(read_both(text), Ok(Some(both)));
            assert_eq!(read_both(&write_both(both.0, both.1)), Ok(Some(both)));
        }
        assert_eq!(read_both("5k"), Ok(None));
        assert!(read_both(",").is_err() && read_both("1,2,3").is_err());
    }

    #[test]
    fn rates_are_read_and_written() {
        let rates = read("500, 4k*3,0*2,0.5").unwrap();
        assert_eq!(rates, [500.0, 4000.0, 4000.0, 4000.0, 0.0, 0.0, 0.5]);
        assert_eq!(read(&write(&rates)), Ok(rates));
        for wrong in ["", "x", "5,", "5*0", "5*x", "5*2000000", "-1"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
