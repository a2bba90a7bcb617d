//! Prices of Google's disks as its Cloud Billing Catalog API lists them, as a list in the form of the catalogue's.
//!
//! Sources: Cloud Billing Catalog API, `services.skus.list` (regions, units and tiers of a SKU, and since when its price
//! holds); "Disk and image pricing" and the page on Hyperdisk Balanced (what of it is billed).

use fathom_tools::Refusal;
use serde::Deserialize;

use super::retail_prices::{EXPECTED, HOURS_A_MONTH, Tier, Tiers, written};

/// What to ask the interface for.
const ASKS: &str = "ask so: curl -s 'https://cloudbilling.googleapis.com/v1/services/6F81-5844-456A/skus?pageSize=5000&key=KEY', page by page";
/// Descriptions of SKUs, in most regions with ` in PLACE` behind them, and what the catalogue calls them.
const CAPACITIES: [(&str, &str); 6] = [
    ("Hyperdisk Balanced Capacity", "hyperdisk-balanced"),
    ("Hyperdisk Extreme Capacity", "hyperdisk-extreme"),
    ("Hyperdisk Throughput Capacity", "hyperdisk-throughput"),
    ("Balanced PD Capacity", "pd-balanced"),
    ("SSD backed PD Capacity", "pd-ssd"),
    ("Storage PD Capacity", "pd-standard"),
];
const RATES: [(&str, &str, &str); 5] = [
    ("Hyperdisk Balanced IOPS", "hyperdisk-balanced", "iops"),
    ("Hyperdisk Balanced Throughput", "hyperdisk-balanced", "throughput"),
    ("Hyperdisk Extreme IOPS", "hyperdisk-extreme", "iops"),
    ("Hyperdisk Throughput Throughput", "hyperdisk-throughput", "throughput"),
    ("Hyperdisk Throughput Throughput Capacity", "hyperdisk-throughput", "throughput"),
];
/// What every volume of Hyperdisk Balanced has without a bill.
const INCLUDED: [(&str, u64); 2] = [("iops", 3000), ("throughput", 140)];

#[derive(Deserialize)]
struct Page {
    skus: Vec<Sku>,
    #[serde(default, rename = "nextPageToken")]
    next: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Sku {
    description: String,
    #[serde(default)]
    category: Category,
    #[serde(default)]
    service_regions: Vec<String>,
    #[serde(default)]
    pricing_info: Vec<Info>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Category {
    #[serde(default)]
    usage_type: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Info {
    #[serde(default)]
    effective_time: String,
    pricing_expression: Expression,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Expression {
    #[serde(default)]
    usage_unit: String,
    #[serde(default)]
    tiered_rates: Vec<Rate>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Rate {
    #[serde(default)]
    start_usage_amount: f64,
    unit_price: Amount,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Amount {
    #[serde(default)]
    currency_code: String,
    /// Whole units, as words.
    #[serde(default)]
    units: String,
    #[serde(default)]
    nanos: i64,
}

impl Amount {
    fn value(&self) -> Option<f64> {
        let units: i64 = if self.units.is_empty() { 0 } else { self.units.parse().ok()? };
        Some(units as f64 + self.nanos as f64 * 1e-9).filter(|value| *value >= 0.0)
    }
}

/// Whether a text begins as a page of the interface.
pub fn is_page(text: &str) -> bool {
    #[derive(Deserialize)]
    struct Kind {
        skus: Option<serde::de::IgnoredAny>,
    }
    let mut pages = serde_json::Deserializer::from_str(text).into_iter::<Kind>();
    matches!(pages.next(), Some(Ok(Kind { skus: Some(_) })))
}

/// A price list as the catalogue's reader takes it, made of pages of the interface, one after the other.
///
/// # Errors
/// When one is no such page, the last one names a next one, or none has a price of a disk that is offered.
pub fn price_list(text: &str) -> Result<String, Refusal> {
    let refused = |cause: String| Refusal::new(EXPECTED, cause).or(ASKS);
    let mut tiers = Tiers::new();
    let mut next = None;
    for page in serde_json::Deserializer::from_str(text).into_iter::<Page>() {
        let page = page.map_err(|error| {
            refused(format!("no page of Google's billing catalogue: {error}")).with_source(error)
        })?;
        next = page.next.filter(|token| !token.is_empty());
        page.skus.iter().for_each(|sku| put(&mut tiers, sku));
    }
    if let Some(token) = next {
        return Err(Refusal::new(EXPECTED, "further pages of the answer are missing").or(format!(
            "append the answer with &pageToken={token}, and so on until there is no nextPageToken"
        )));
    }
    if tiers.is_empty() {
        return Err(refused("it has no price of a disk of Compute Engine".to_owned()));
    }
    Ok(written("GCP", "Cloud Billing Catalog API", &tiers))
}

fn put(tiers: &mut Tiers, sku: &Sku) {
    let Some((volume, component)) = offered(&sku.description) else { return };
    // The times of prices ascend; the last is today's.
    let Some(info) = sku.pricing_info.last().filter(|_| sku.category.usage_type == "OnDemand") else {
        return;
    };
    let Some(units) = units(&info.pricing_expression.usage_unit, component) else { return };
    let billed = info.pricing_expression.tiered_rates.iter().filter_map(|rate| {
        let price = rate.unit_price.value().filter(|price| *price > 0.0)?;
        let from = rate.start_usage_amount;
        (0.0..1e12).contains(&from).then_some((from as u64, price * units, &rate.unit_price.currency_code))
    });
    for (number, (from, price, currency)) in billed.enumerate() {
        // What is free of capacity is free once for an account, and not for every disk.
        let from = if number == 0 { included(volume, component) } else { from };
        for region in &sku.service_regions {
            let since: String = info.effective_time.chars().take(10).collect();
            let of = tiers.entry((region.clone(), volume.to_owned(), component)).or_default();
            // Of two prices the later holds.
            if of.get(&from).is_none_or(|known: &Tier| known.since <= since) {
                of.insert(from, Tier { price, currency: currency.clone(), since });
            }
        }
    }
}

/// The type and the component that a SKU is of; regional disks, pools and other modes have words in front or behind.
fn offered(description: &str) -> Option<(&'static str, &'static str)> {
    let name = description.split(" in ").next().unwrap_or(description);
    let capacity = CAPACITIES.iter().find(|(of, _)| *of == name).map(|(_, volume)| (*volume, "capacity"));
    let rate = || RATES.iter().find(|(of, _, _)| *of == name);
    capacity.or_else(|| rate().map(|(_, volume, component)| (*volume, *component)))
}

fn included(volume: &str, component: &str) -> u64 {
    let is_included = volume == "hyperdisk-balanced";
    INCLUDED.iter().find(|(of, _)| is_included && *of == component).map_or(0, |(_, count)| *count)
}

/// By how much a price is to be multiplied for a month of a GiB, an I/O a second, or a MiB/s; absent for other units.
fn units(unit: &str, component: &str) -> Option<f64> {
    let (of, time) = unit.rsplit_once('.').unwrap_or(("", unit));
    let months = match time {
        "mo" => 1.0,
        "h" => HOURS_A_MONTH,
        _ => return None,
    };
    let each = match (component, of) {
        ("capacity", "GiBy") | ("iops", "") | ("throughput", "" | "MiBy") => 1.0,
        ("throughput", "GiBy") => 1.0 / 1024.0,
        _ => return None,
    };
    Some(months * each)
}

#[cfg(test)]
mod tests {
    use fathom_sizing::catalogue::{Component, Prices};

    use crate::price_list as any_list;

    fn sku(description: &str, regions: &str, unit: &str, rates: &[(u64, &str, i64)]) -> String {
        let rates: Vec<String> = rates
            .iter()
            .map(|(from, units, nanos)| {
                format!(
                    r#"{{"startUsageAmount":{from},"unitPrice":{{"currencyCode":"EUR","units":"{units}","nanos":{nanos}}}}}"#
                )
            })
            .collect();
        format!(
            r#"{{"name":"services/6F81-5844-456A/skus/B0","skuId":"B0","description":"{description}","category":{{"serviceDisplayName":"Compute Engine","resourceFamily":"Storage","resourceGroup":"SSD","usageType":"OnDemand"}},"serviceRegions":[{regions}],"pricingInfo":[{{"summary":"","pricingExpression":{{"usageUnit":"{unit}","displayQuantity":1,"tieredRates":[{}],"baseUnit":"s"}},"currencyConversionRate":1,"effectiveTime":"2026-04-13T07:00:00Z"}}],"serviceProviderName":"Google"}}"#,
            rates.join(",")
        )
    }

    fn page(skus: &[String], next: &str) -> String {
        format!(r#"{{"skus":[{}],"nextPageToken":"{next}"}}"#, skus.join(","))
    }

    /// As the pages say what is billed: the first 3,000 IOPS and 140 MiB/s of a volume of Hyperdisk Balanced are not, so
    /// that of 5,000 IOPS 2,000 are.
    #[test]
    fn pages_are_a_list_with_region_currency_and_day() {
        let first = [
            sku(
                "Hyperdisk Balanced IOPS in Santiago",
                "\"southamerica-west1\"",
                "mo",
                &[(0, "0", 7_000_000)],
            ),
            sku(
                "Hyperdisk Balanced Capacity in Santiago",
                "\"southamerica-west1\"",
                "GiBy.mo",
                &[(0, "", 100_000_000)],
            ),
            sku(
                "Hyperdisk Balanced Throughput in Santiago",
                "\"southamerica-west1\"",
                "mo",
                &[(0, "0", 57_000_000)],
            ),
            sku(
                "Hyperdisk Balanced IOPS - Confidential Mode in Santiago",
                "\"southamerica-west1\"",
                "mo",
                &[(0, "0", 1)],
            ),
            sku(
                "Regional Balanced PD Capacity in Santiago",
                "\"southamerica-west1\"",
                "GiBy.mo",
                &[(0, "0", 2)],
            ),
        ];
        let second = [
            sku("Balanced PD Capacity", "\"us-east1\",\"europe-west1\"", "GiBy.mo", &[(0, "2", 125_050_000)]),
            sku("Storage PD Capacity", "\"us-east1\"", "GiBy.mo", &[(0, "0", 0), (30, "0", 40_000_000)]),
            sku(
                "Hyperdisk Throughput Throughput Capacity in Iowa",
                "\"us-central1\"",
                "h",
                &[(0, "0", 390_411)],
            ),
            sku("Hyperdisk Extreme IOPS in Iowa", "\"us-central1\"", "count", &[(0, "0", 32_000_000)]),
        ];
        let text = page(&first, "more") + "\n" + &page(&second, "");
        let list = any_list(&text).unwrap();
        let prices = Prices::read("google.json", &list).unwrap();
        let month = |region: &str, volume: &str, component, units| {
            prices.month(region, volume, component, units).to_string()
        };
        let santiago = "southamerica-west1";
        assert_eq!(month(santiago, "hyperdisk-balanced", Component::Iops, 3000), "0.00");
        assert_eq!(month(santiago, "hyperdisk-balanced", Component::Iops, 5000), "14.00");
        assert_eq!(month(santiago, "hyperdisk-balanced", Component::Throughput, 240), "5.70");
        assert_eq!(month(santiago, "hyperdisk-balanced", Component::Capacity, 100), "10.00");
        assert_eq!(month("europe-west1", "pd-balanced", Component::Capacity, 200), "425.01");
        // As Google's price page reckons: 200 GB of a standard disk are 8.00 a month.
        assert_eq!(month("us-east1", "pd-standard", Component::Capacity, 200), "8.00");
        assert_eq!(month("us-central1", "hyperdisk-throughput", Component::Throughput, 180), "51.30");
        let row = prices.of("europe-west1", "pd-balanced").next().unwrap();
        assert_eq!(
            (row.provider.as_str(), row.currency.as_str(), row.as_of.as_str()),
            ("GCP", "EUR", "2026-04-13")
        );
        assert!(!prices.rows().iter().any(|price| price.volume == "hyperdisk-extreme"), "no such unit");
    }

    #[test]
    fn what_is_missing_is_refused_with_what_to_ask() {
        let whole = sku("Balanced PD Capacity", "\"here\"", "GiBy.mo", &[(0, "0", 1_000_000)]);
        let spot = whole.replace("OnDemand", "Preemptible");
        for (text, told) in [
            (page(&[whole], "abc"), "further pages"),
            (page(&[], ""), "no price of a disk"),
            (page(&[spot], ""), "no price of a disk"),
            ("{\"skus\":[{}]}".to_owned(), "missing field `description`"),
            ("{\"skus\":[]} {".to_owned(), "no page of Google's"),
        ] {
            let refused = any_list(&text).unwrap_err();
            assert!(refused.cause.contains(told) && !refused.remedy.is_empty(), "{refused}");
        }
    }
}
