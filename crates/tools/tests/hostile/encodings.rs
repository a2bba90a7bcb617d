//! Every kind of text in UTF-16, in both orders of bytes, is known without being told and read as it is in UTF-8.

use std::collections::BTreeSet;
use std::path::Path;

use fathom_tools::observers;
use fathom_tools::result_import::{Context, HEAD_BYTES, Head, ImportedItem, recognise};

use crate::changed::{files_below, wide};

const FIO_TEXT: &str = "\
r: (g=0): rw=randread, bs=(R) 4096B-4096B, (W) 4096B-4096B, (T) 4096B-4096B, ioengine=windowsaio, iodepth=32
fio-3.27
Starting 1 thread

r: (groupid=0, jobs=1): err= 0: pid=15: Fri Jun 19 01:58:18 2020
   read: IOPS=100, BW=400KiB/s (409kB/s)(4000KiB/10000msec)
    clat (usec): min=63, max=5864, avg=285.14, stdev=58.59
     lat (usec): min=68, max=5869, avg=291.45, stdev=58.71
     issued rwt: total=1000,0,0, short=0,0,0, dropped=0,0,0
";

const NVME_PERF: &str = "\
Associating PCIE (0000:5e:00.0) NSID 1 with lcore 0
========================================================
                                                                             Latency(us)
Device Information                     :       IOPS      MiB/s    Average        min        max
PCIE (0000:5e:00.0) NSID 1 from core  0:  176907.23     691.04     361.68      78.65    8231.33
========================================================
Total                                  :  176907.23     691.04     361.68      78.65    8231.33
";

/// The formats that the texts here are of.
const KINDS: [&str; 13] = [
    "bdevperf-text",
    "diskspd-text",
    "diskspd-xml",
    "fio-json",
    "fio-log",
    "fio-text",
    "iostat",
    "mpstat",
    "perf-stat",
    "sadf",
    "sar",
    "spdk-nvme-perf",
    "vmstat",
];

/// What is found in a text, without the note that its encoding leaves.
fn found(name: &str, bytes: &[u8]) -> Result<(&'static str, Vec<ImportedItem>), String> {
    let head = Head { bytes: &bytes[..bytes.len().min(HEAD_BYTES)], file_name: name };
    let importer = recognise(&head, |_| None).map_err(|unknown| unknown.to_string())?;
    let context = Context { file_name: name.to_owned(), ..Context::default() };
    let mut found = importer.read(&mut &*bytes, &context).map_err(|refusal| refusal.to_string())?;
    for origin in found.iter_mut().filter_map(ImportedItem::origin_mut) {
        let before = origin.quirks.len();
        origin.quirks.retain(|quirk| quirk.name != "utf16_text");
        assert_eq!(origin.quirks.len() < before, bytes.first() >= Some(&0xfe), "{name}");
    }
    Ok((importer.name, found))
}

#[test]
fn results_and_telemetry_are_read_in_either_encoding() {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let folders = ["fio_results/own", "generators/own", "telemetry/own", "../../../fuzz/seeds/generators"];
    let mut texts =
        vec![("r.txt".to_owned(), FIO_TEXT.to_owned()), ("n.txt".to_owned(), NVME_PERF.to_owned())];
    for path in folders.iter().flat_map(|folder| files_below(&tests.join(folder))) {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        texts.push((name, std::fs::read_to_string(&path).unwrap()));
    }
    let mut kinds = BTreeSet::new();
    for (name, text) in &texts {
        let narrow = found(name, text.as_bytes());
        for bytes in [wide(text, u16::to_le_bytes), wide(text, u16::to_be_bytes)] {
            assert_eq!(found(name, &bytes), narrow, "{name}");
            let audited = observers::audit(&bytes).map(|found| found.len());
            assert_eq!(audited, observers::audit(text.as_bytes()).map(|found| found.len()), "{name}");
        }
        kinds.extend(narrow.ok().map(|(importer, _)| importer));
    }
    assert_eq!(kinds.into_iter().collect::<Vec<_>>(), KINDS);
}
