//! Any bytes hold a disk's demand, a fleet's, an account's or prices, or are refused; stretches of a fleet's table hold each
//! row once.
#![no_main]

use std::io::Cursor;
use std::ops::Range;

use fathom_fuzz::within;
use fathom_demand::account_volumes::{Inventory, runs};
use fathom_demand::{Text, price_list, read};
use fathom_rows::trace_demand::{TraceSelection, TraceStream};
use fathom_rows::{Hints, Values};
use fathom_rows::demand_tables::{self, Header, Interest, Run, RunSink};
use fathom_sizing::catalogue::Prices;
use libfuzzer_sys::fuzz_target;

/// Every run of a stretch, as it comes.
#[derive(Default)]
struct All(Vec<Run>);

impl RunSink for All {
    fn interest(&self, _: &[u8]) -> Interest {
        Interest::Rows
    }

    fn take(&mut self, run: Run) {
        self.0.push(run);
    }
}

fn rows(bytes: &[u8], header: &Header, stretch: Range<u64>) -> Option<All> {
    let mut all = All::default();
    demand_tables::read_text(Cursor::new(bytes), header, stretch, &mut all).ok().map(|()| all)
}

fn count(all: &All) -> u64 {
    all.0.iter().map(|run| run.rows).sum()
}

fn fleet(bytes: &[u8]) {
    let hints = Hints { values: Some(Values::PerSecond), ..Hints::default() };
    let Ok(header) = demand_tables::header(bytes, &hints) else { return };
    let (half, end) = (bytes.len() as u64 / 2, bytes.len() as u64);
    let parts = [0..end, 0..half, half..end].map(|stretch| rows(bytes, &header, stretch));
    if let [Some(whole), Some(first), Some(second)] = &parts {
        assert_eq!(count(whole), count(first) + count(second));
    }
    for mut run in parts.into_iter().flatten().take(1).flat_map(|all| all.0) {
        let _ = run.demand(header.layout.values);
    }
}

fn account(bytes: &[u8]) {
    let mut inventory = Inventory::default();
    let _ = inventory.read(bytes);
    for mut run in runs(&[bytes.to_vec()], &inventory).unwrap_or_default() {
        inventory.put_facts(&mut run);
        let _ = run.demand(Values::PerRow);
    }
}

fuzz_target!(|bytes: &[u8]| {
    let size = bytes.len();
    for columns in ["", "time=a,op=b,offset=c,bytes=d", "time=a,reads=b,writes=c,read_bytes=d,write_bytes=e"]
    {
        let hints = Hints { columns, ..Hints::default() };
        within(size, "demand", || drop(read(&[Text { name: "a", bytes }], &hints)));
    }
    let hints = Hints { instance: Some("hm"), device: Some("0"), ..Hints::default() };
    within(size, "demand of a host", || drop(read(&[Text { name: "a", bytes }], &hints)));
    let (first, second) = bytes.split_at(size / 2);
    let parts = [Text { name: "a", bytes: first }, Text { name: "b", bytes: second }];
    within(size, "demand of parts", || drop(read(&parts, &Hints::default())));
    within(size, "trace", || {
        if let Ok(mut stream) = TraceStream::open(|| Ok(bytes), TraceSelection::default()) {
            while let Ok(Some(_)) = stream.next() {}
        }
    });
    within(size, "fleet", || fleet(bytes));
    within(size, "account", || account(bytes));
    within(size, "prices", || {
        if let Ok(list) = price_list(&String::from_utf8_lossy(bytes)) {
            drop(Prices::read("prices.csv", &list));
        }
    });
});
