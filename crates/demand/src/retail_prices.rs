//! Prices of Azure's disks as its own price interface answers them, as a list in the form of the catalogue's.
//!
//! Source: "Azure Retail Prices REST API overview": retail prices by region and meter, tiers by their least units, and
//! rates of an hour or a month; "Understand Azure Disk Storage billing": meters of Premium SSD and Premium SSD v2.

use std::borrow::Cow;
use std::collections::BTreeMap;

use fathom_tools::Refusal;
use serde::Deserialize;

use super::cloud_skus;

pub(super) const EXPECTED: &str = "a price list";
/// Hours that the providers' own price pages reckon a month at.
pub(super) const HOURS_A_MONTH: f64 = 730.0;
/// Products of the interface, and what the catalogue calls them.
const V2: (&str, &str) = ("Azure Premium SSD v2", "Premium SSD v2");
const PREMIUM: (&str, &str) = ("Premium SSD Managed Disks", "Premium SSD");
/// What to ask the interface for.
pub const ASKS: &str = "ask so: curl -sG https://prices.azure.com/api/retail/prices --data-urlencode \"$filter=armRegionName eq 'westeurope' and serviceName eq 'Storage' and productName eq 'Azure Premium SSD v2'\"";

#[derive(Deserialize)]
struct Answer {
    #[serde(rename = "Items")]
    items: Vec<Item>,
    #[serde(default, rename = "NextPageLink")]
    next: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Item {
    currency_code: String,
    #[serde(default)]
    tier_minimum_units: f64,
    retail_price: f64,
    arm_region_name: String,
    effective_start_date: String,
    meter_name: String,
    product_name: String,
    unit_of_measure: String,
    #[serde(rename = "type")]
    kind: String,
    /// A meter of several regions has its price in one of them.
    #[serde(default = "yes")]
    is_primary_meter_region: bool,
}

fn yes() -> bool {
    true
}

/// What a price is of: region, type, component.
type PriceKey = (String, String, &'static str);

/// Prices by what they are of, and by the units below each tier.
pub(super) type Tiers = BTreeMap<PriceKey, BTreeMap<u64, Tier>>;

/// One tier's price.
pub(super) struct Tier {
    /// Of one unit for a month (a disk, a GiB, an I/O a second, a MiB/s), in the currency below.
    pub price: f64,
    /// As `USD`.
    pub currency: String,
    /// The day from which it holds.
    pub since: String,
}

/// A price list as the catalogue's reader takes it: one that is such already as it is, and made of answers of Azure's
/// interface or of pages of Google's, one after the other.
///
/// # Errors
/// When it begins as JSON and is no answer of those interfaces, is not the last page, or has no price of a disk that is offered.
pub fn price_list(text: &str) -> Result<Cow<'_, str>, Refusal> {
    if !text.trim_start().starts_with(['{', '[']) {
        return Ok(Cow::Borrowed(text));
    }
    if cloud_skus::is_page(text) {
        return cloud_skus::price_list(text).map(Cow::Owned);
    }
    let refused = |cause: String| Refusal::new(EXPECTED, cause).or(ASKS.to_owned());
    let mut tiers = Tiers::new();
    let mut next = None;
    for answer in serde_json::Deserializer::from_str(text).into_iter::<Answer>() {
        let answer = answer.map_err(|error| {
            refused(format!("no answer of Azure's price interface: {error}")).with_source(error)
        })?;
        next = answer.next.filter(|link| !link.is_empty());
        answer.items.into_iter().for_each(|item| put(&mut tiers, item));
    }
    if let Some(link) = next {
        return Err(Refusal::new(EXPECTED, "further pages of the answer are missing")
            .or(format!("append the answer to {link}, and so on until NextPageLink is null")));
    }
    if tiers.is_empty() {
        return Err(refused(
            "it has no price of Premium SSD or Premium SSD v2 with local redundancy".to_owned(),
        ));
    }
    Ok(Cow::Owned(written("Azure", "Azure Retail Prices API", &tiers)))
}

fn put(tiers: &mut Tiers, item: Item) {
    let Some((volume, component)) = offered(&item) else { return };
    let months = match item.unit_of_measure.as_str() {
        "1/Month" => 1.0,
        "1/Hour" | "1 GiB/Hour" => HOURS_A_MONTH,
        _ => return,
    };
    let is_usable = item.retail_price.is_finite() && (0.0..1e12).contains(&item.tier_minimum_units);
    if item.kind != "Consumption" || !item.is_primary_meter_region || !is_usable {
        return;
    }
    let since = item.effective_start_date.chars().take(10).collect();
    let tier = Tier { price: item.retail_price * months, currency: item.currency_code, since };
    let of = tiers.entry((item.arm_region_name, volume, component)).or_default();
    let known = of.get(&(item.tier_minimum_units as u64));
    // Of two prices of one meter the later holds.
    if known.is_none_or(|known| known.since <= tier.since) {
        of.insert(item.tier_minimum_units as u64, tier);
    }
}

/// The type and the component that a meter is of, with local redundancy.
fn offered(item: &Item) -> Option<(String, &'static str)> {
    let meter = item.meter_name.as_str();
    if item.product_name == V2.0 {
        let component = match meter {
            "Premium LRS Provisioned Capacity" => "capacity",
            "Premium LRS Provisioned IOPS" => "iops",
            "Premium LRS Provisioned Throughput (MBps)" => "throughput",
            _ => return None,
        };
        return Some((V2.1.to_owned(), component));
    }
    let size = meter.strip_suffix(" LRS Disk").filter(|_| item.product_name == PREMIUM.0)?;
    let is_size = size.strip_prefix('P').is_some_and(|number| number.parse::<u8>().is_ok());
    is_size.then(|| (format!("{} {size}", PREMIUM.1), "disk"))
}

/// In the form of the catalogue's list.
pub(super) fn written(provider: &str, source: &str, tiers: &Tiers) -> String {
    let mut list =
        "provider,region,type,component,tier_from,tier_to,price,currency,as_of,source\n".to_owned();
    for ((region, volume, component), tiers) in tiers {
        let ends = tiers.keys().skip(1).map(u64::to_string).chain([String::new()]);
        for ((from, tier), to) in tiers.iter().zip(ends) {
            let Tier { price, currency, since } = tier;
            let plain = |words: &str| words.replace([',', '"', '\n', '\r'], " ");
            list += &format!(
                "{provider},{},{volume},{component},{},{to},{price},{},{},{source}\n",
                plain(region),
                from + 1,
                plain(currency),
                plain(since)
            );
        }
    }
    list
}

#[cfg(test)]
mod tests {
    use fathom_sizing::catalogue::{Component, Prices};

    use super::*;

    fn item(product: &str, meter: &str, unit: &str, least: f64, price: f64, more: &str) -> String {
        format!(
            r#"{{"currencyCode":"GBP","tierMinimumUnits":{least},"retailPrice":{price},"unitPrice":{price},"armRegionName":"ukwest","location":"UK West","effectiveStartDate":"2023-12-01T00:00:00Z","meterName":"{meter}","productName":"{product}","skuName":"Premium LRS","serviceName":"Storage","unitOfMeasure":"{unit}","type":"Consumption","isPrimaryMeterRegion":true{more}}}"#
        )
    }

    fn answer(items: &[String], next: &str) -> String {
        format!(
            r#"{{"BillingCurrency":"GBP","Items":[{}],"NextPageLink":{next},"Count":{}}}"#,
            items.join(","),
            items.len()
        )
    }

    fn month(prices: &Prices, volume: &str, component: Component, units: u64) -> String {
        prices.month("ukwest", volume, component, units).to_string()
    }

    #[test]
    fn answers_of_the_interface_are_a_list_with_region_currency_and_day() {
        let v2 = |meter: &str, unit: &str, least, price| item(V2.0, meter, unit, least, price, "");
        let first = [
            v2("Premium LRS Provisioned Throughput (MBps)", "1/Hour", 0.0, 0.0),
            v2("Premium LRS Provisioned Throughput (MBps)", "1/Hour", 125.0, 0.000052),
            v2("Premium LRS Provisioned IOPS", "1/Hour", 0.0, 0.0),
            v2("Premium LRS Provisioned IOPS", "1/Hour", 3000.0, 0.000006),
            v2("Premium LRS Provisioned Capacity", "1 GiB/Hour", 0.0, 0.000105),
            v2("Premium ZRS Provisioned Capacity", "1 GiB/Hour", 0.0, 5.0),
        ];
        let second = [
            item(PREMIUM.0, "P6 LRS Disk", "1/Month", 0.0, 9.783261, ""),
            item(PREMIUM.0, "P6 LRS Disk Mount", "1/Month", 0.0, 0.5, ""),
            item(PREMIUM.0, "P6 ZRS Disk", "1/Month", 0.0, 14.0, ""),
        ];
        let text = answer(&first, "\"https://prices.azure.com/2\"") + "\n" + &answer(&second, "null");
        let list = price_list(&text).unwrap();
        let prices = Prices::read("azure.json", &list).unwrap();
        assert_eq!(month(&prices, "Premium SSD v2", Component::Capacity, 512), "39.24");
        assert_eq!(month(&prices, "Premium SSD v2", Component::Iops, 3000), "0.00");
        assert_eq!(month(&prices, "Premium SSD v2", Component::Iops, 4000), "4.38");
        assert_eq!(month(&prices, "Premium SSD v2", Component::Throughput, 225), "3.80");
        assert_eq!(month(&prices, "Premium SSD P6", Component::Disk, 1), "9.78");
        let row = prices.of("ukwest", "Premium SSD P6").next().unwrap();
        assert_eq!((row.currency.as_str(), row.as_of.as_str()), ("GBP", "2023-12-01"));
    }

    #[test]
    fn the_later_of_two_prices_holds_and_reservations_do_not_count() {
        let of = |price, more: &str| item(PREMIUM.0, "P30 LRS Disk", "1/Month", 0.0, price, more);
        let later = of(70.0, "").replace("2023-12-01", "2024-02-01");
        let reserved = of(5.0, "").replace("Consumption", "Reservation");
        let elsewhere =
            of(6.0, "").replace("\"isPrimaryMeterRegion\":true", "\"isPrimaryMeterRegion\":false");
        for items in [[of(60.0, ""), later.clone(), reserved.clone()], [later, elsewhere, of(60.0, "")]] {
            let text = answer(&items, "null");
            let prices = Prices::read("azure.json", &price_list(&text).unwrap()).unwrap();
            assert_eq!(month(&prices, "Premium SSD P30", Component::Disk, 1), "70.00");
        }
    }

    #[test]
    fn lists_stay_and_what_is_no_answer_is_refused_with_what_to_ask() {
        let list = "provider,region,type,component,price\nAWS,here,gp3,capacity,0.08\n";
        assert_eq!(price_list(list).unwrap(), list);
        for (text, told) in [
            ("{\"a\": 1}".to_owned(), "missing field `Items`"),
            ("[1, 2".to_owned(), "no answer"),
            (answer(&[], "null"), "no price of Premium SSD"),
            (
                answer(&[item(PREMIUM.0, "P6 LRS Disk", "1/Month", 0.0, 9.0, "")], "\"https://more\""),
                "further pages",
            ),
        ] {
            let refused = price_list(&text).unwrap_err();
            assert!(refused.cause.contains(told), "{refused}");
        }
    }
}
