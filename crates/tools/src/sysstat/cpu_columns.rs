//! Processor time: `%usr` without guests beside `%user` with them, `%sys` without interrupts beside
//! `%system` with them.

use crate::foreign_series::{Column, Meaning, plain};

/// A column of processor time, its percent sign left out.
pub fn cpu(column: &str) -> Column {
    let part = |metric: &'static str| Meaning::new(metric, "share", 0.01);
    let user = || part("cpu.user").added();
    let busy = || part("cpu.busy").added();
    let list = match column {
        // Where `%guest` stands beside it, `%usr` leaves guests out, so that the sum is fathom's `cpu.user`.
        "usr" | "user" => vec![user(), busy()],
        "nice" => vec![user(), part("cpu.nice").added(), busy()],
        "guest" => vec![user(), part("cpu.guest").added(), busy()],
        "gnice" => vec![user(), part("cpu.nice").added(), part("cpu.guest").added(), busy()],
        "sys" => vec![part("cpu.system"), busy()],
        // Interrupts are in it, which fathom's own `cpu.system` leaves out.
        "system" => vec![part("cpu.kernel"), busy()],
        "irq" => vec![part("cpu.irq"), busy()],
        "soft" => vec![part("cpu.softirq"), busy()],
        "steal" => vec![part("cpu.steal")],
        "iowait" => vec![part("cpu.iowait")],
        "idle" => vec![part("cpu.idle")],
        "MHz" | "wghMHz" => {
            return plain(if column == "MHz" { "cpu.frequency" } else { "cpu.frequency_mean" }, "MHz");
        }
        "CORE" | "SOCK" | "NODE" => return Column::Nothing,
        _ => return Column::Unknown,
    };
    Column::Means(list)
}
