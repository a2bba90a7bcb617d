//! The committed baseline: what each case cost when it was last accepted, and where.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use toml::{Table, Value};

/// Places that cost less than this many instructions an I/O are left out.
pub const SMALLEST: f64 = 0.5;

/// Costs of all cases, with what they were compiled by.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Baseline {
    /// As the compiler prints its version.
    pub toolchain: String,
    /// Target triple.
    pub host: String,
    pub cases: BTreeMap<String, Cost>,
}

/// Instructions of one I/O.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cost {
    pub instructions: f64,
    /// The part of each place in the source, see `callgrind`.
    pub places: BTreeMap<String, f64>,
}

impl Baseline {
    /// Reads what `write` wrote.
    ///
    /// # Errors
    /// Names what is missing.
    pub fn read(text: &str) -> Result<Self, String> {
        let table: Table = text.parse().map_err(|error: toml::de::Error| error.to_string())?;
        let word = |name: &str| {
            table.get(name).and_then(Value::as_str).map(str::to_owned).ok_or(format!("no `{name}`"))
        };
        let mut cases = BTreeMap::new();
        for (case, value) in table.get("cases").and_then(Value::as_table).into_iter().flatten() {
            let total = value.get("instructions").and_then(number);
            let instructions = total.ok_or(format!("case {case} has no `instructions`"))?;
            let places = value.get("places").and_then(Value::as_table).into_iter().flatten();
            let places = places.filter_map(|(place, cost)| Some((place.clone(), number(cost)?))).collect();
            cases.insert(case.clone(), Cost { instructions, places });
        }
        Ok(Self { toolchain: word("toolchain")?, host: word("host")?, cases })
    }

    /// The file, to a tenth of an instruction.
    pub fn write(&self) -> String {
        let quoted = |text: &str| Value::from(text).to_string();
        let mut text = String::from(
            "# Instructions of one I/O. Written by `cargo benches instructions --accept`; not by hand.\n",
        );
        let _ = writeln!(text, "toolchain = {}\nhost = {}", quoted(&self.toolchain), quoted(&self.host));
        for (case, cost) in &self.cases {
            let _ = writeln!(text, "\n[cases.{case}]\ninstructions = {:.1}", cost.instructions);
            let _ = writeln!(text, "\n[cases.{case}.places]");
            for (place, cost) in &cost.places {
                let _ = writeln!(text, "{} = {cost:.1}", quoted(place));
            }
        }
        text
    }
}

fn number(value: &Value) -> Option<f64> {
    value.as_float().or_else(|| value.as_integer().map(|whole| whole as f64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_baseline_is_read_as_it_was_written() {
        let places = [("<A as \"B\">::c".to_owned(), 30.5), ("src/b.rs".to_owned(), 9.0)];
        let cost = Cost { instructions: 40.0, places: places.into() };
        let baseline = Baseline {
            toolchain: "rustc 1.95.0".to_owned(),
            host: "x86_64".to_owned(),
            cases: [("read-d1".to_owned(), cost)].into(),
        };
        assert_eq!(Baseline::read(&baseline.write()).unwrap(), baseline);
    }

    #[test]
    fn what_is_missing_is_named() {
        let text = "toolchain = 'r'\nhost = 'h'\n[cases.a]\ninstructions = 3\n";
        assert_eq!(Baseline::read(text).unwrap().cases["a"].instructions, 3.0);
        assert!(Baseline::read(&text.replace("host", "h")).unwrap_err().contains("host"));
        assert!(Baseline::read(&text.replace("instructions", "i")).unwrap_err().contains("case a"));
        assert!(Baseline::read("[").is_err());
    }
}
