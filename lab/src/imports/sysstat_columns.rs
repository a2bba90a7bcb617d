//! What the columns of sysstat's tools mean, as docs/interop.md gives it: metric and factor to its unit.

use super::printed_values;
use super::statement::Statement;

const DISK: [(&str, &str, f64); 40] = [
    ("r/s", "disk.reads", 1.0),
    ("w/s", "disk.writes", 1.0),
    ("d/s", "disk.discards", 1.0),
    ("f/s", "disk.flushes", 1.0),
    ("tps", "disk.transfers", 1.0),
    ("rrqm/s", "disk.reads_merged", 1.0),
    ("wrqm/s", "disk.writes_merged", 1.0),
    ("%rrqm", "disk.reads_merged_share", 0.01),
    ("%wrqm", "disk.writes_merged_share", 0.01),
    ("rsec/s", "disk.read_bytes", 512.0),
    ("wsec/s", "disk.write_bytes", 512.0),
    ("rd_sec/s", "disk.read_bytes", 512.0),
    ("wr_sec/s", "disk.write_bytes", 512.0),
    ("rkB/s", "disk.read_bytes", 1024.0),
    ("wkB/s", "disk.write_bytes", 1024.0),
    ("dkB/s", "disk.discard_bytes", 1024.0),
    ("kB_read/s", "disk.read_bytes", 1024.0),
    ("kB_wrtn/s", "disk.write_bytes", 1024.0),
    ("rMB/s", "disk.read_bytes", 1_048_576.0),
    ("wMB/s", "disk.write_bytes", 1_048_576.0),
    ("dMB/s", "disk.discard_bytes", 1_048_576.0),
    ("MB_read/s", "disk.read_bytes", 1_048_576.0),
    ("MB_wrtn/s", "disk.write_bytes", 1_048_576.0),
    ("await", "disk.wait", 1e6),
    ("r_await", "disk.read_wait", 1e6),
    ("w_await", "disk.write_wait", 1e6),
    ("d_await", "disk.discard_wait", 1e6),
    ("f_await", "disk.flush_wait", 1e6),
    ("svctm", "disk.svctm", 1e6),
    ("avgrq-sz", "disk.size", 512.0),
    ("areq-sz", "disk.size", 1024.0),
    ("rareq-sz", "disk.read_size", 1024.0),
    ("wareq-sz", "disk.write_size", 1024.0),
    ("dareq-sz", "disk.discard_size", 1024.0),
    ("avgqu-sz", "disk.queue", 1.0),
    ("aqu-sz", "disk.queue", 1.0),
    ("%util", "disk.utilisation", 0.01),
    ("util", "disk.utilisation", 0.01),
    ("rrqm", "disk.reads_merged_share", 0.01),
    ("wrqm", "disk.writes_merged_share", 0.01),
];

const PROCESSOR: [(&str, &str, f64); 8] = [
    ("sys", "cpu.system", 0.01),
    ("system", "cpu.kernel", 0.01),
    ("irq", "cpu.irq", 0.01),
    ("soft", "cpu.softirq", 0.01),
    ("steal", "cpu.steal", 0.01),
    ("iowait", "cpu.iowait", 0.01),
    ("idle", "cpu.idle", 0.01),
    ("nice", "cpu.nice", 0.01),
];

/// Parts of `cpu.user`: guests' time is in it.
const USER: [&str; 5] = ["usr", "user", "nice", "guest", "gnice"];

/// Puts a row of a disk.
pub fn put_disk(statement: &mut Statement, disk: &str, cells: &[(&str, &str)]) {
    for &(name, cell) in cells {
        let known = DISK.iter().find(|(column, ..)| *column == name);
        if let (Some((_, metric, factor)), Some(printed)) = (known, printed_values::plain(cell)) {
            statement.put(metric, disk, printed.times(*factor));
        }
    }
}

/// Puts a row of a processor; names with or without their percent sign.
pub fn put_processor(statement: &mut Statement, label: &str, cells: &[(&str, &str)]) {
    let mut user = None;
    for &(name, cell) in cells {
        let name = name.trim_start_matches('%');
        let Some(printed) = printed_values::plain(cell).map(|it| it.times(0.01)) else { continue };
        if USER.contains(&name) {
            let sum = user.get_or_insert(printed.times(0.0));
            sum.value += printed.value;
            sum.rounding += printed.rounding;
        }
        if let Some((_, metric, _)) = PROCESSOR.iter().find(|(column, ..)| *column == name) {
            statement.put(metric, label, printed);
        }
    }
    if let Some(user) = user {
        statement.put("cpu.user", label, user);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_in_base_units() {
        let mut statement = Statement::default();
        put_disk(&mut statement, "sda", &[("r/s", "2,50"), ("rMB/s", "1.00"), ("odd", "1")]);
        put_processor(&mut statement, "", &[("%usr", "10.0"), ("%nice", "5.0"), ("%idle", "85.0")]);
        let value =
            |metric: &str| statement.tracks.iter().find(|it| it.metric == metric).map(|it| it.values[0]);
        assert_eq!(value("disk.reads"), Some(2.5));
        assert_eq!(value("disk.read_bytes"), Some(1_048_576.0));
        assert!((value("cpu.user").unwrap() - 0.15).abs() < 1e-12);
        assert_eq!(statement.tracks.len(), 5);
    }
}
