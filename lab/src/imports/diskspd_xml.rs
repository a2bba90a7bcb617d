//! diskspd's XML: counts of threads and targets added up, and the latencies of each time span.

use super::printed_values;
use super::statement::{Latency, Outcome, PrintedNumber, StatedQuantity, Statement};

/// Reads every time span that was measured.
///
/// # Errors
/// Where there is none.
pub fn read(text: &str) -> Result<Statement, String> {
    let measured = text.split_once("</Profile>").map_or("", |(_, behind)| behind);
    let outcomes: Vec<Outcome> = elements(measured, "TimeSpan").into_iter().map(outcome).collect();
    if outcomes.is_empty() {
        Err("no time span".to_owned())
    } else {
        Ok(Statement { outcomes, tracks: Vec::new() })
    }
}

fn outcome(span: &str) -> Outcome {
    let mut outcome = Outcome::default();
    let seconds = first(span, "TestTimeSeconds");
    outcome.put_duration(seconds.map(|it| it.times(1e9)));
    let latency = elements(span, "Latency").into_iter().next().unwrap_or_default();
    for (direction, word) in [("read", "Read"), ("write", "Write")] {
        let sum = |name: String| {
            elements(span, &name)
                .into_iter()
                .filter_map(printed_values::plain)
                .map(|it| it.value)
                .sum::<f64>()
        };
        let (bytes, count) = (sum(format!("{word}Bytes")), sum(format!("{word}Count")));
        if count == 0.0 {
            continue;
        }
        let whole = |value: f64| Some(PrintedNumber { value, rounding: 1.0 });
        outcome.put(direction, StatedQuantity::Bytes, whole(bytes));
        outcome.put(direction, StatedQuantity::Operations, whole(count));
        if let Some(seconds) = seconds {
            outcome.put(direction, StatedQuantity::Rate, whole(count / seconds.value));
            outcome.put(direction, StatedQuantity::Throughput, whole(bytes / seconds.value));
        }
        let mean = first(latency, &format!("Average{word}Milliseconds"));
        outcome.put(direction, StatedQuantity::Mean(Latency::Service), mean.map(|it| it.times(1e6)));
        for bucket in elements(latency, "Bucket") {
            let value = first(bucket, &format!("{word}Milliseconds")).map(|it| it.times(1e6));
            let Some(order) = first(bucket, "Percentile").map(|it| it.value) else { continue };
            let what = match order {
                0.0 => StatedQuantity::Min(Latency::Service),
                100.0 => StatedQuantity::Max(Latency::Service),
                _ => StatedQuantity::Quantile(Latency::Service, order / 100.0),
            };
            outcome.put(direction, what, value);
        }
    }
    outcome
}

fn first(text: &str, name: &str) -> Option<PrintedNumber> {
    elements(text, name).into_iter().next().and_then(printed_values::plain)
}

/// What stands in each element of the name, none of which holds another of the same name.
fn elements<'a>(text: &'a str, name: &str) -> Vec<&'a str> {
    let (open, close) = (format!("<{name}>"), format!("</{name}>"));
    let bodies = text.split(open.as_str()).skip(1);
    bodies.filter_map(|body| body.split_once(close.as_str()).map(|(body, _)| body)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_are_added_up() {
        let text = "<Profile><TimeSpan></TimeSpan></Profile><TimeSpan><TestTimeSeconds>2.00</TestTimeSeconds>
            <Latency><AverageReadMilliseconds>1.5</AverageReadMilliseconds><Bucket><Percentile>99.9</Percentile>
            <ReadMilliseconds>7</ReadMilliseconds></Bucket></Latency>
            <ReadBytes>10</ReadBytes><ReadCount>1</ReadCount><ReadBytes>30</ReadBytes><ReadCount>3</ReadCount></TimeSpan>";
        let outcome = &read(text).unwrap().outcomes[0];
        let value = |what: StatedQuantity| outcome.find("read", what).map(|it| it.value);
        assert_eq!(value(StatedQuantity::Bytes), Some(40.0));
        assert_eq!(value(StatedQuantity::Rate), Some(2.0));
        assert_eq!(value(StatedQuantity::Mean(Latency::Service)), Some(1.5e6));
        assert!(outcome.figures.iter().any(|figure| figure.value == 7e6));
        assert!(read("<a/>").is_err());
    }
}
