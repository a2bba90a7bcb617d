//! Damaged results and logs of fio.

use std::path::Path;

use fathom_tools::result_import::{Context, by_name};
use proptest::prelude::*;

use crate::counting::within;

fn reads_in_proportion(importer: &str, bytes: &[u8], file_name: &str) {
    let context = Context { file_name: file_name.to_owned(), ..Context::default() };
    within(bytes.len(), importer, || drop(by_name(importer).unwrap().read(&mut &*bytes, &context)));
}

fn seeds() -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fio_results/own");
    let mut out: Vec<(String, Vec<u8>)> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| (path.file_name().unwrap().to_string_lossy().into_owned(), std::fs::read(path).unwrap()))
        .collect();
    out.sort();
    out
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn damaged_files_are_read_or_refused(
        seed in 0usize..64,
        cut in 0.0f64..1.0,
        changes in prop::collection::vec((0.0f64..1.0, any::<u8>()), 0..6),
        doubled: bool,
    ) {
        let seeds = seeds();
        let (name, bytes) = &seeds[seed % seeds.len()];
        let mut bytes = bytes.clone();
        bytes.truncate((bytes.len() as f64 * (1.0 - cut * cut)) as usize);
        for (at, byte) in changes {
            let place = (at * bytes.len() as f64) as usize;
            if let Some(old) = bytes.get_mut(place) {
                *old = byte;
            }
        }
        if doubled {
            bytes.extend_from_within(..);
        }
        let importers = if name.ends_with(".log") { ["fio-log", "fio-log-us"] } else { ["fio-json", "fio-log-ns"] };
        for importer in importers {
            reads_in_proportion(importer, &bytes, name);
        }
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..2000)) {
        for importer in ["fio-json", "fio-log", "fio-log-us", "fathom-run"] {
            reads_in_proportion(importer, &bytes, "x_clat.1.log");
        }
    }
}

#[test]
fn nesting_and_braces_without_end_take_no_stack_and_no_time() {
    for unit in ["[", "{\"a\":", "{", "{\"jobs\":[{\"jobname\":\"x\"},", "{\"fio version\":\"x\","] {
        reads_in_proportion("fio-json", unit.repeat(200_000).as_bytes(), "x");
    }
    let minimal = br#"{"fio version":"fio-3.1","jobs":[{"read":{"total_ios":1,"iops":1}}]}"#.repeat(2000);
    reads_in_proportion("fio-json", &minimal, "x");
}
