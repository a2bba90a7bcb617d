//! What a fleet's rows add up to, with the terms that they were judged by and what limits the answer.

use fathom_record::fleet_record::{FleetRecord, FleetTerms};
use fathom_sizing::Catalogue;
use fathom_sizing::age;
use fathom_sizing::fleet_volumes::{History, SizingPolicy};
use fathom_sizing::margin::{self, Margin, USUAL};
use fathom_sizing::recommendation::{left_out, left_out_notes};

use super::row_tally::Tally;

/// The margin for a risk in millionths, from a fleet's own history; the usual one where that says too little.
pub fn margin_of(history: &History, risk_millionths: u32) -> Margin {
    margin::calibrated(history.all(), risk_millionths).unwrap_or(USUAL)
}

/// What a summary is made of.
#[derive(Clone, Copy, Debug)]
pub struct Summary<'a> {
    /// What the rows were read from.
    pub from: &'a [String],
    /// What is on offer.
    pub catalogue: &'a Catalogue,
    /// Where it is bought.
    pub region: &'a str,
    /// What was asked of every volume.
    pub asked: SizingPolicy<'a>,
    /// The margin that was asked for or found.
    pub margin: Margin,
    /// Half of the usual history, in seconds.
    pub horizon_s: Option<u64>,
    /// Rows of the input.
    pub rows: u64,
    /// The day, e.g. `2026-01-31`.
    pub today: &'a str,
}

/// The currency of a region's prices, as `USD`.
pub fn currency(catalogue: &Catalogue, region: &str) -> String {
    let mut prices = catalogue.prices.rows().iter().filter(|price| price.region == region);
    prices.next().map_or_else(|| "USD".to_owned(), |price| price.currency.clone())
}

impl Summary<'_> {
    /// The summary of the rows that a tally counted.
    pub fn record(&self, tally: &Tally) -> FleetRecord {
        let terms = self.terms();
        let left_out = left_out(self.asked.market, false);
        let prices = || self.catalogue.prices.rows().iter().filter(|price| price.region == self.region);
        let old = age::note(
            self.today,
            prices().filter(|price| self.asked.market.types().any(|name| price.volume.starts_with(name))),
        );
        let money = tally.money(currency(self.catalogue, self.region));
        let mut notes = tally.notes();
        notes.extend(self.notes(&terms, tally, money.compared));
        notes.extend(left_out_notes(&left_out));
        notes.extend(old);
        FleetRecord {
            format: FleetRecord::FORMAT.to_owned(),
            version: FleetRecord::VERSION,
            command: None,
            from: self.from.to_vec(),
            notes,
            left_out,
            terms,
            volumes: tally.volumes,
            rows: self.rows,
            sized: tally.sized,
            throttled: tally.throttled,
            not_judged: tally.reasons(),
            by: Vec::new(),
            top_savings: tally.top_savings(),
            too_small: tally.too_small(),
            money,
            risk: tally.risk(),
        }
    }

    fn terms(&self) -> FleetTerms {
        let growths = self.asked.history.all();
        let risk_millionths = match self.margin {
            Margin::Calibrated { risk_millionths, .. } => Some(risk_millionths),
            Margin::Uncalibrated { thousandths } => margin::risk(growths, thousandths),
        };
        FleetTerms {
            region: self.region.to_owned(),
            wait_s: self.asked.wait_s,
            late_share: self.asked.late_millionths as f64 / 1e6,
            margin: f64::from(self.asked.margin_thousandths) / 1e3,
            risk: risk_millionths.map(|millionths| f64::from(millionths) / 1e6),
            margin_volumes: growths.len() as u64,
            horizon_s: self.horizon_s,
            stripes: self.asked.stripes,
        }
    }

    fn notes(&self, terms: &FleetTerms, tally: &Tally, compared: u64) -> Vec<String> {
        let mut notes = Vec::new();
        if tally.volumes == 0 {
            notes.push("No rows are in it.".to_owned());
        }
        match (terms.risk, self.margin) {
            (None, _) => notes.push(format!(
                "The margin of {:.2} is uncalibrated and no risk is stated: no volume was seen for three days or more with a requirement that matters.",
                terms.margin
            )),
            (Some(_), margin) if margin == USUAL => notes.push(format!(
                "{} volumes have a history that shows it: too few for the risk that was asked for, so that the margin is the usual one. The risk stated is what they say of it.",
                terms.margin_volumes
            )),
            _ => {}
        }
        if terms.risk.is_some() {
            notes.push(
                "Risks hold as long as the coming time is like the past: a new release, a migration or another season is not."
                    .to_owned(),
            );
        }
        if compared < tally.sized {
            notes.push(format!(
                "What {} of {} volumes are today is not known, or their series shows supply: nothing is said to be wasted by them.",
                tally.sized - compared,
                tally.sized
            ));
        }
        notes
    }
}

#[cfg(test)]
mod tests {
    use fathom_sizing::Market;
    use fathom_sizing::fleet_volumes::{Growth, RequirementClass, unjudged};

    use super::*;

    #[test]
    fn a_summary_states_its_terms_and_what_limits_it() {
        let catalogue = Catalogue::built_in().unwrap();
        let market = Market::of(&catalogue, "us-east-1");
        let history =
            History::new((0..99).map(|i| Growth { thousandths: 1001 + i, class: RequirementClass::Even }));
        let few = History::new([Growth { thousandths: 1200, class: RequirementClass::Even }]);
        let of = |history: &History, risk: u32, tally: &Tally| {
            let margin = margin_of(history, risk);
            let asked = SizingPolicy {
                market: &market,
                wait_s: 1.0,
                late_millionths: 1000,
                margin_thousandths: margin.thousandths(),
                history,
                stripes: 1,
            };
            let from = ["lake".to_owned()];
            let (region, today) = ("us-east-1", "2026-11-25");
            Summary {
                from: &from,
                catalogue: &catalogue,
                region,
                asked,
                margin,
                horizon_s: None,
                rows: 7,
                today,
            }
            .record(tally)
        };
        let mut tally = Tally::default();
        tally.put(&unjudged("a", "no I/O was seen"));
        let record = of(&history, 100_000, &tally);
        assert_eq!(
            (record.terms.margin, record.terms.risk, record.terms.margin_volumes),
            (1.09, Some(0.1), 99)
        );
        assert_eq!((record.volumes, record.rows, record.money.currency.as_str()), (1, 7, "USD"));
        assert_eq!(
            (record.not_judged[0].volumes, record.not_judged[0].examples.as_slice()),
            (1, ["a".to_owned()].as_slice())
        );
        assert!(record.notes.iter().any(|note| note.starts_with("Risks hold as long")), "{:?}", record.notes);
        let unsure = of(&few, 100_000, &tally);
        assert!(
            unsure.notes.iter().any(|note| note.starts_with("1 volumes have a history")),
            "{:?}",
            unsure.notes
        );
        let empty = of(&History::default(), 100_000, &Tally::default());
        assert!(
            empty.notes[0].starts_with("No rows") && empty.notes[1].contains("uncalibrated"),
            "{:?}",
            empty.notes
        );
    }
}
