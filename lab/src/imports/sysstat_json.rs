//! JSON of sysstat's tools: `iostat -o JSON`, `mpstat -o JSON` and `sadf -j`.

use serde_json::Value;

use super::statement::Statement;
use super::sysstat_columns;

/// Reads processors and disks of every interval. iostat's first statistics are the mean since the machine started;
/// nothing tells them but that its disks have `disk_device`.
///
/// # Errors
/// Another document.
pub fn read(text: &str) -> Result<Statement, String> {
    let document: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let host = &document["sysstat"]["hosts"][0];
    let statistics = host["statistics"].as_array().ok_or("no statistics")?;
    let is_iostat = statistics.first().is_some_and(|first| first["disk"][0].get("disk_device").is_some());
    let mut statement = Statement::default();
    for interval in statistics.iter().skip(usize::from(is_iostat)) {
        let all = std::iter::once(&interval["avg-cpu"]).filter(|it| it.is_object());
        for processor in interval["cpu-load"].as_array().into_iter().flatten().chain(all) {
            let label = processor["cpu"].as_str().filter(|label| !["all", "-1"].contains(label));
            with_cells(processor, |cells| {
                sysstat_columns::put_processor(&mut statement, label.unwrap_or_default(), cells)
            });
        }
        for disk in interval["disk"].as_array().into_iter().flatten() {
            let Some(name) = disk["disk_device"].as_str().or(disk["disk-device"].as_str()) else { continue };
            with_cells(disk, |cells| sysstat_columns::put_disk(&mut statement, name, cells));
        }
    }
    Ok(statement)
}

fn with_cells(row: &Value, put: impl FnOnce(&[(&str, &str)])) {
    let cells: Vec<(&str, String)> = row
        .as_object()
        .into_iter()
        .flatten()
        // sadf prints a size in sectors and again in KiB: one of both is enough.
        .filter(|(name, _)| !["avgrq-sz", "avgqu-sz"].contains(&name.as_str()))
        .filter_map(|(name, value)| value.as_f64().map(|value| (known_name(name), format!("{value:.2}"))))
        .collect();
    let cells: Vec<(&str, &str)> = cells.iter().map(|(name, value)| (*name, value.as_str())).collect();
    put(&cells);
}

/// sadf's names of columns, as the text heads them.
fn known_name(name: &str) -> &str {
    match name {
        "rkB" => "rkB/s",
        "wkB" => "wkB/s",
        "dkB" => "dkB/s",
        "util-percent" => "%util",
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_tool_s_document_is_read() {
        let sadf = r#"{"sysstat": {"hosts": [{"statistics": [{"cpu-load": [{"cpu": "all", "usr": 1.0, "nice": 2.0}],
            "disk": [{"disk-device": "sda", "tps": 3.0, "rkB": 1.0}]}]}]}}"#;
        let statement = read(sadf).unwrap();
        let value =
            |metric: &str| statement.tracks.iter().find(|it| it.metric == metric).map(|it| it.values[0]);
        assert_eq!(value("disk.read_bytes"), Some(1024.0));
        assert_eq!(value("cpu.user"), Some(0.03));
        let iostat = r#"{"sysstat": {"hosts": [{"statistics": [{"disk": [{"disk_device": "a", "r/s": 1.0}]},
            {"disk": [{"disk_device": "a", "r/s": 2.0}]}]}]}}"#;
        assert_eq!(read(iostat).unwrap().tracks[0].values, [2.0]);
        assert!(read("{}").is_err());
    }
}
