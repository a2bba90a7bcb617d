//! Prices from what GetProducts of the price list answers: instances by the hour, volumes by the month.

use serde_json::Value;

use super::catalogue_csv::{Change, Sheet};

/// Where and when the prices hold, and the key of their source.
pub struct Place<'a> {
    pub region: &'a str,
    pub date: &'a str,
    pub key: &'a str,
}

/// Usage types of volumes without their region's prefix: volume type, component, and which of its tiers.
const USAGE: [(&str, &str, &str, usize); 13] = [
    ("EBS:VolumeUsage.gp3", "gp3", "capacity", 0),
    ("EBS:VolumeP-IOPS.gp3", "gp3", "iops", 0),
    ("EBS:VolumeP-Throughput.gp3", "gp3", "throughput", 0),
    ("EBS:VolumeUsage.gp2", "gp2", "capacity", 0),
    ("EBS:VolumeUsage.piops", "io1", "capacity", 0),
    ("EBS:VolumeP-IOPS.piops", "io1", "iops", 0),
    ("EBS:VolumeUsage.io2", "io2", "capacity", 0),
    ("EBS:VolumeP-IOPS.io2", "io2", "iops", 0),
    ("EBS:VolumeP-IOPS.io2.tier2", "io2", "iops", 1),
    ("EBS:VolumeP-IOPS.io2.tier3", "io2", "iops", 2),
    ("EBS:VolumeUsage.st1", "st1", "capacity", 0),
    ("EBS:VolumeUsage.sc1", "sc1", "capacity", 0),
    ("EBS:VolumeUsage", "standard", "capacity", 0),
];

/// Puts each price of the document into the sheets.
///
/// # Errors
/// A document without prices.
pub fn update(
    types: &mut Sheet,
    costs: &mut Sheet,
    document: &Value,
    place: &Place<'_>,
) -> Result<Vec<Change>, String> {
    let list = document["PriceList"].as_array();
    let list = list.ok_or("no `PriceList` in it: it is not what get-products prints")?;
    let mut changes = Vec::new();
    for entry in list {
        // The tool prints each product as a text that is itself JSON.
        let product = match entry.as_str() {
            Some(text) => serde_json::from_str(text).map_err(|error| format!("a product: {error}"))?,
            None => entry.clone(),
        };
        let attributes = &product["product"]["attributes"];
        let is = |name: &str, value: &str| attributes[name].as_str() == Some(value);
        // Local zones name the same usage with prices of their own.
        if !is("regionCode", place.region) || !is("locationType", "AWS Region") {
            continue;
        }
        let Some(price) = on_demand(&product) else { continue };
        let change = if product["product"]["productFamily"].as_str() == Some("Compute Instance") {
            let plain = is("operatingSystem", "Linux")
                && is("tenancy", "Shared")
                && is("preInstalledSw", "NA")
                && is("capacitystatus", "Used");
            attributes["instanceType"]
                .as_str()
                .filter(|_| plain)
                .map(|name| instance(types, name, price.0, place))
        } else {
            volume_of(attributes).map(|volume| of_volume(costs, volume, &price, place))
        };
        changes.extend(change.transpose()?.flatten());
    }
    Ok(changes)
}

/// The price on demand in dollars, and its unit.
fn on_demand(product: &Value) -> Option<(f64, String)> {
    let term = product["terms"]["OnDemand"].as_object()?.values().next()?;
    let dimension = term["priceDimensions"].as_object()?.values().next()?;
    let price = dimension["pricePerUnit"]["USD"].as_str()?.parse().ok().filter(|price: &f64| *price > 0.0)?;
    Some((price, dimension["unit"].as_str()?.to_owned()))
}

fn instance(types: &mut Sheet, name: &str, price: f64, place: &Place<'_>) -> Result<Option<Change>, String> {
    let column = place.region.replace('-', "_");
    let (cost, source) = (format!("usd_h_{column}"), format!("source_{column}"));
    let known = types.rows.iter().any(|row| row.first().is_some_and(|first| first == name));
    if !types.has(&cost) || !known {
        return Ok(None);
    }
    let change = types.put(&[("type", name), (&cost, &format!("{price}"))])?;
    if change.is_some() {
        types.put(&[("type", name), (&source, place.key)])?;
    }
    Ok(change)
}

fn volume_of(attributes: &Value) -> Option<(&'static str, &'static str, usize)> {
    let usage = attributes["usagetype"].as_str()?;
    let plain = &usage[usage.find("EBS:")?..];
    USAGE
        .iter()
        .find(|(name, ..)| *name == plain)
        .map(|(_, volume, component, tier)| (*volume, *component, *tier))
}

/// Changes the price of the row that is there; tiers are kept, because the list names them in words only.
fn of_volume(
    costs: &mut Sheet,
    (volume, component, tier): (&str, &str, usize),
    (price, unit): &(f64, String),
    place: &Place<'_>,
) -> Result<Option<Change>, String> {
    // The list counts provisioned throughput in GiB/s, the catalogue in MiB/s.
    let price = if unit.to_ascii_lowercase().starts_with("gibps") { price / 1024.0 } else { *price };
    let wanted = [("provider", "AWS"), ("region", place.region), ("type", volume), ("component", component)];
    let wanted = wanted.map(|(name, value)| Ok((costs.column(name)?, value)));
    let wanted: Vec<(usize, &str)> = wanted.into_iter().collect::<Result<_, String>>()?;
    let holds =
        |row: &&mut Vec<String>| wanted.iter().all(|(at, value)| row.get(*at).is_some_and(|c| c == value));
    let Some(at) =
        costs.rows.iter_mut().enumerate().filter(|(_, row)| holds(row)).nth(tier).map(|(at, _)| at)
    else {
        return Ok(None);
    };
    let changed = costs.set(at, &[("price", &format!("{}", (price * 1e9).round() / 1e9))])?;
    if changed.is_empty() {
        return Ok(None);
    }
    costs.set(at, &[("as_of", place.date), ("confidence", "high"), ("source", place.key)])?;
    Ok(Some(Change::Changed(format!("{} {volume} {component}", place.region), changed)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn product(family: &str, attributes: Value, unit: &str, usd: &str) -> Value {
        let mut attributes = attributes;
        attributes["regionCode"] = json!("eu-central-1");
        if attributes["locationType"].is_null() {
            attributes["locationType"] = json!("AWS Region");
        }
        let dimension = json!({"unit": unit, "pricePerUnit": {"USD": usd}});
        let product = json!({"product": {"productFamily": family, "attributes": attributes},
                             "terms": {"OnDemand": {"a": {"priceDimensions": {"b": dimension}}}}});
        Value::String(product.to_string())
    }

    #[test]
    fn prices_find_their_rows_and_units_are_the_catalogues() {
        let head =
            "provider,region,type,component,tier_from,tier_to,unit,price,currency,as_of,confidence,source\n";
        let rows = "AWS,eu-central-1,gp3,throughput,126,2000,USD/MiBps-month,0.048,USD,2024,high,old\n\
                    AWS,eu-central-1,io2,iops,,32000,USD/IOPS-month,0.074,USD,2024,high,old\n\
                    AWS,eu-central-1,io2,iops,32001,64000,USD/IOPS-month,0.052,USD,2024,high,old\n";
        let mut costs = Sheet::parse(&format!("{head}{rows}")).unwrap();
        let mut types =
            Sheet::parse("type,usd_h_eu_central_1,source_eu_central_1\nm5.large,0.115,old\n").unwrap();
        let linux = json!({"instanceType": "m5.large", "operatingSystem": "Linux", "tenancy": "Shared",
                           "preInstalledSw": "NA", "capacitystatus": "Used"});
        let mut windows = linux.clone();
        windows["operatingSystem"] = json!("Windows");
        let zone = json!({"usagetype": "EUC1-EBS:VolumeP-IOPS.io2", "locationType": "AWS Local Zone"});
        let document = json!({"PriceList": [
            product("Compute Instance", linux, "Hrs", "0.1200000000"),
            product("Compute Instance", windows, "Hrs", "0.2070000000"),
            product("Provisioned Throughput", json!({"usagetype": "EUC1-EBS:VolumeP-Throughput.gp3"}), "GiBps-mo", "51.2"),
            product("System Operation", json!({"usagetype": "EUC1-EBS:VolumeP-IOPS.io2.tier2"}), "IOPS-Mo", "0.0520"),
            product("System Operation", zone, "IOPS-Mo", "0.9"),
        ]});
        let place = Place { region: "eu-central-1", date: "2026-11-22", key: "new" };
        let changes = update(&mut types, &mut costs, &document, &place).unwrap();
        let told: Vec<String> = changes.iter().map(ToString::to_string).collect();
        assert_eq!(
            told,
            [
                "changed  m5.large: usd_h_eu_central_1 0.115 -> 0.12",
                "changed  eu-central-1 gp3 throughput: price 0.048 -> 0.05"
            ]
        );
        assert_eq!(types.rows[0], ["m5.large", "0.12", "new"]);
        assert_eq!((costs.rows[0][9].as_str(), costs.rows[0][11].as_str()), ("2026-11-22", "new"));
        assert_eq!(costs.rows[2][11], "old", "the same price learns nothing");
        assert!(update(&mut types, &mut costs, &json!({}), &place).unwrap_err().contains("get-products"));
    }
}
