//! What may be offered and what a volume is today, from the words of people and tables.

use fathom_measure::Bytes;
use fathom_sizing::catalogue::OfferRequirements;
use fathom_sizing::offer::Settings;
use fathom_sizing::{Catalogue, Market, Offer};
use fathom_tools::Refusal;

/// Refuses a region without prices.
///
/// # Errors
/// With the regions that have some.
pub fn check_region(catalogue: &Catalogue, region: &str) -> Result<(), Refusal> {
    let known = catalogue.regions();
    if known.contains(&region) {
        return Ok(());
    }
    let remedy = format!("give your own with --prices FILE.csv, or one of: {}", known.join(", "));
    Err(Refusal::new("a region", format!("no prices of {region} are known")).at("--region").or(remedy))
}

/// What is on offer in a region, with only the types that are wanted.
///
/// # Errors
/// When a type is not on offer there, or none is left.
pub fn market(catalogue: &Catalogue, region: &str, wanted: OfferRequirements) -> Result<Market, Refusal> {
    let market = Market::of(catalogue, region);
    let unknown = wanted.types.iter().find(|name| !market.types().any(|known| known == name.as_str()));
    if let Some(unknown) = unknown {
        let known: Vec<&str> = market.types().collect();
        return Err(Refusal::new("types of volumes", format!("no {unknown} is on offer in {region}"))
            .at("--types")
            .or(format!("name some of: {}", known.join(","))));
    }
    let market = market.only(catalogue, wanted);
    // Disks named by nobody may still be offered, for I/Os that suit them.
    let left_out = market.left_out(true);
    if left_out.len() == market.types().count() {
        let reasons: Vec<String> =
            left_out.iter().map(|left| format!("{}: {}", left.volume, left.reason)).collect();
        return Err(Refusal::new("types of volumes", format!("no type is left ({})", reasons.join("; ")))
            .at("--types, --latency, --boot")
            .or("ask for less"));
    }
    Ok(market)
}

/// `gp3:iops=16000,throughput=1000,size=2TiB`; the size is that of the data where none is given.
///
/// # Errors
/// When the words make no sense, or no such volume is sold, with what to type.
pub fn current(market: &Market, size_gib: u64, text: &str) -> Result<Offer, Refusal> {
    let refused = |cause: String, remedy: &str| {
        Refusal::new("today's volume", cause).at("--current").or(remedy.to_owned())
    };
    let wrong = |cause: String| refused(cause, "type it as gp3:iops=16000,throughput=1000");
    let (volume, settings) = text.split_once(':').unwrap_or((text, ""));
    let mut wanted = Settings { size_gib, iops: 0, bytes_per_s: 0 };
    for pair in settings.split(',').filter(|pair| !pair.is_empty()) {
        let (key, value) = pair.split_once('=').ok_or_else(|| wrong(format!("{pair} has no value")))?;
        let number = || value.parse::<u64>().map_err(|_| wrong(format!("{value} is not a whole number")));
        match key {
            "iops" => wanted.iops = number()?,
            "throughput" => wanted.bytes_per_s = number()?.min(1 << 24) * market.megabyte(volume),
            "size" => {
                let size: Bytes = value.parse().map_err(|_| {
                    refused(format!("{value:?} is not a size as 1TiB"), "type a size as 1TiB")
                })?;
                wanted.size_gib = size.0.div_ceil(1 << 30);
            }
            _ => return Err(wrong(format!("{key} is not a valid setting of a volume"))),
        }
    }
    let offer = market.configured(volume, wanted);
    offer.ok_or_else(|| wrong(format!("no {volume} of {} GiB is on offer in this region", wanted.size_gib)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_today_s_volume_are_an_offer_or_refused_with_what_to_type() {
        let catalogue = Catalogue::built_in().unwrap();
        assert!(check_region(&catalogue, "us-east-1").is_ok());
        assert!(check_region(&catalogue, "mars").unwrap_err().remedy.contains("us-east-1"));
        let market = market(&catalogue, "us-east-1", OfferRequirements::default()).unwrap();
        let offer = current(&market, 100, "gp3:iops=6000,throughput=250,size=2TiB").unwrap();
        assert_eq!((offer.each.size_gib, offer.each.iops, offer.each.bytes_per_s), (2048, 6000, 250 << 20));
        assert_eq!(current(&market, 100, "gp2").unwrap().each.size_gib, 100);
        for (text, told) in [
            ("gp9", "no gp9 of 100 GiB"),
            ("gp3:iops", "iops has no value"),
            ("gp3:iops=many", "many is not a whole number"),
            ("gp3:size=big", "\"big\" is not a size"),
            ("gp3:colour=3", "colour is not a valid setting"),
        ] {
            let refused = current(&market, 100, text).unwrap_err();
            assert!(refused.cause.contains(told) && refused.place == "--current", "{refused}");
        }
    }

    #[test]
    fn types_that_nobody_sells_and_wishes_that_nothing_meets_are_refused() {
        let catalogue = Catalogue::built_in().unwrap();
        let refused = |wanted| market(&catalogue, "us-east-1", wanted).unwrap_err();
        let unknown =
            refused(OfferRequirements { types: vec!["gp9".to_owned()], ..OfferRequirements::default() });
        assert!(unknown.cause.contains("no gp9") && unknown.remedy.contains("gp3"), "{unknown}");
        let quick = refused(OfferRequirements { latency_ns: Some(1), ..OfferRequirements::default() });
        assert!(quick.cause.contains("no type is left"), "{quick}");
    }
}
