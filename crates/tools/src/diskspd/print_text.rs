//! Results as diskspd prints them, in its text form of version 2.2.

use std::fmt::Write as _;

use super::caching::{CacheMode, Caching, Flush};
use super::random_distribution::Distribution;
use super::results::{Counts, CpuUse, PERCENTILES, Percentile, Results, SectionValues, SpanResult};
use super::size_notation::print_size;
use super::span_profile::{Content, Hint, Limit, Profile, Target, TimeSpan};

/// The whole text.
pub fn print(results: &Results) -> String {
    let mut text = String::new();
    let latency = |at: usize| {
        let span = results.profile.as_ref().and_then(|profile| profile.spans.get(at));
        (span.is_some_and(|span| span.latency), span.is_some_and(|span| span.iops_interval_ms.is_some()))
    };
    text += &format!("\nCommand Line: {}\n\n", results.command_line);
    if let Some(profile) = &results.profile {
        text += &input(profile);
    }
    text += &system(results);
    for (at, span) in results.spans.iter().enumerate() {
        text += &format!("\nResults for timespan {}:\n{}\n", at + 1, "*".repeat(79));
        text += &result(span, latency(at));
    }
    if results.spans.len() > 1 {
        text += &all_spans(&results.spans);
    }
    text
}

/// Writing to a text does not fail.
macro_rules! line {
    ($text:expr, $($arguments:tt)*) => {
        let _ = writeln!($text, $($arguments)*);
    };
}

/// What was asked for.
pub fn input(profile: &Profile) -> String {
    let mut text = "Input parameters:\n\n".to_owned();
    if profile.verbose {
        text += "\tusing verbose mode\n";
    }
    for (at, span) in profile.spans.iter().enumerate() {
        line!(text, "\ttimespan: {:3}\n\t-------------", at + 1);
        text += &time_span(span);
        text.push('\n');
    }
    text
}

fn time_span(span: &TimeSpan) -> String {
    let mut text = String::new();
    line!(text, "\tduration: {}s", span.duration_s);
    line!(text, "\twarm up time: {}s", span.warmup_s);
    line!(text, "\tcool down time: {}s", span.cooldown_s);
    if span.no_affinity {
        text += "\taffinity disabled\n";
    }
    if span.latency {
        text += "\tmeasuring latency\n";
    }
    if let Some(interval) = span.iops_interval_ms {
        line!(text, "\tgathering IOPS at intervals of {interval}ms");
    }
    line!(text, "\trandom seed: {}", span.seed);
    if span.threads > 0 {
        line!(text, "\tthread pool with {} threads", span.threads);
        line!(text, "\tnumber of outstanding I/O operations per thread: {}", span.outstanding);
    }
    if !span.affinity.is_empty() {
        let list: Vec<String> = span.affinity.iter().map(|(group, cpu)| format!("{group}/{cpu}")).collect();
        line!(text, "\tadvanced affinity round robin (group/core): {}", list.join(", "));
    }
    if span.random_write_data {
        text += "\tgenerating random data for each write IO\n";
    }
    for target in &span.targets {
        text += &target_text(target, span);
    }
    text
}

fn target_text(target: &Target, span: &TimeSpan) -> String {
    let mut lines =
        vec![format!("think time: {}ms", target.think_ms), format!("burst size: {}", target.burst)];
    lines.extend(caching_lines(target.caching));
    lines.extend(content_lines(&target.content));
    if target.parallel {
        lines.push("using parallel async I/O".to_owned());
    }
    lines.push(match target.write_percent {
        0 => "performing read test".to_owned(),
        100 => "performing write test".to_owned(),
        writes => format!("performing mix test (read/write ratio: {}/{writes})", 100 - writes.min(100)),
    });
    lines.push(format!("block size: {}", print_size(target.block_bytes)));
    let step = print_size(target.step());
    lines.push(match target.random_percent {
        100.. => format!("using random I/O (alignment: {step})"),
        0 if target.interlocked => format!("using interlocked sequential I/O (stride: {step})"),
        0 => format!("using sequential I/O (stride: {step})"),
        share => format!("using mixed random/sequential I/O ({share}% random) (alignment/stride: {step})"),
    });
    let pooled = span.threads > 0;
    if pooled && span.outstanding > 0 {
        lines.push(format!("relative IO weight in thread pool: {}", target.weight));
    } else {
        lines.push(format!("number of outstanding I/O operations per thread: {}", target.outstanding));
    }
    let sizes = [
        ("base file offset", target.base_bytes),
        ("max file size", target.end_bytes.unwrap_or(0)),
        ("thread stride size", target.thread_stride_bytes),
    ];
    let sizes = sizes.into_iter().filter(|(_, bytes)| *bytes > 0);
    lines.extend(sizes.map(|(name, bytes)| format!("{name}: {}", print_size(bytes))));
    let hints = [
        (Hint::Sequential, "FILE_FLAG_SEQUENTIAL_SCAN"),
        (Hint::Random, "FILE_FLAG_RANDOM_ACCESS"),
        (Hint::Temporary, "FILE_ATTRIBUTE_TEMPORARY"),
    ];
    let hints = hints.into_iter().filter(|(hint, _)| target.hints.contains(hint));
    lines.extend(hints.map(|(_, name)| format!("using {name} hint")));
    if !pooled {
        lines.push(format!("threads per file: {}", target.threads));
    }
    lines.push(match target.priority {
        1 => "IO priority: very low".to_owned(),
        2 => "IO priority: low".to_owned(),
        3 => "IO priority: normal".to_owned(),
        _ => "IO priority: unknown".to_owned(),
    });
    match target.limit {
        Some(Limit::PerS(rate)) => lines.push(format!("throughput rate-limited to {rate} IOPS")),
        Some(Limit::BytesPerMs(bytes)) => lines.push(format!("throughput rate-limited to {bytes} B/ms")),
        None => {}
    }
    if let Some(distribution) = &target.distribution {
        lines.push("IO Distribution:".to_owned());
        lines.extend(distribution_lines(distribution));
    }
    let path = match target.path.strip_prefix('*') {
        Some(template) => format!("\tpath: template target '{template}'\n"),
        None => format!("\tpath: '{}'\n", target.path),
    };
    lines.iter().fold(path, |text, line| text + "\t\t" + line + "\n")
}

fn caching_lines(caching: Caching) -> Vec<String> {
    let mut lines = vec![match caching.mode {
        CacheMode::Cached => "using software cache".to_owned(),
        CacheMode::Remote => "local software cache disabled, remote cache enabled".to_owned(),
        CacheMode::Unbuffered => "software cache disabled".to_owned(),
    }];
    lines.push(match (caching.write_through, caching.mode) {
        (false, _) => "using hardware write cache, writethrough off".to_owned(),
        (true, CacheMode::Unbuffered) => "hardware write cache disabled, writethrough on".to_owned(),
        (true, _) => "hardware and software write caches disabled, writethrough on".to_owned(),
    });
    if caching.mapped {
        let flush = match caching.flush {
            None => "",
            Some(Flush::View) => ", flush mode: FlushViewOfFile",
            Some(Flush::Memory) => ", flush mode: FlushNonVolatileMemory",
            Some(Flush::MemoryNoDrain) => ", flush mode: FlushNonVolatileMemory with no drain",
        };
        lines.push(format!("memory mapped I/O enabled{flush}"));
    }
    lines
}

fn content_lines(content: &Content) -> Vec<String> {
    match content {
        Content::Counting => Vec::new(),
        Content::Zeros => vec!["zeroing write buffers".to_owned()],
        Content::Buffer { bytes, file } => {
            let source = file.as_ref().map_or("random fill".to_owned(), |file| format!("'{file}'"));
            vec![
                format!("write buffer size: {}", print_size(*bytes)),
                format!("write buffer source: {source}"),
            ]
        }
    }
}

fn distribution_lines(distribution: &Distribution) -> Vec<String> {
    let mut at = 0u64;
    let mut lines = Vec::new();
    for &(share, length) in &distribution.parts {
        let end = at.saturating_add(length);
        lines.push(match (distribution.absolute, length) {
            (false, _) => format!("   {share:3}% of IO => [{at:2}% - {end:3}%) of target"),
            (true, 0) => format!("   {share:3}% of IO => [{:>9} -       end)", print_size(at)),
            (true, _) => format!("   {share:3}% of IO => [{:>9} - {:>9})", print_size(at), print_size(end)),
        });
        at = end;
    }
    lines
}

fn system(results: &Results) -> String {
    let mut text = "System information:\n\n".to_owned();
    line!(text, "\tcomputer name: {}", results.computer.as_deref().unwrap_or_default());
    line!(text, "\tstart time: {}", results.started.as_deref().unwrap_or_default());
    if let Some(processors) = results.processors {
        line!(text, "\n\tcpu count:\t\t{processors}");
    }
    text
}

fn result(span: &SpanResult, (latency, deviation): (bool, bool)) -> String {
    let mut text = String::new();
    let seconds = span.seconds.unwrap_or(0.0);
    if seconds < 1e-7 {
        return "The test was interrupted before the measurements began. No results are displayed.\n"
            .to_owned();
    }
    line!(text, "\nactual test time:\t{seconds:.2}s");
    line!(text, "thread count:\t\t{}", span.threads.unwrap_or(span.rows.len() as u64));
    text += &processors(span);
    for (at, (title, total)) in span.totals.each().into_iter().enumerate() {
        line!(text, "\n{title}");
        text += &section(span, total.unwrap_or_default(), at, (latency, deviation));
    }
    if latency {
        text += "\nTotal latency distribution:\n";
        text += &percentiles(&span.percentiles);
    }
    text
}

fn processors(span: &SpanResult) -> String {
    if span.cpus.is_empty() {
        return String::new();
    }
    let rule = "-".repeat(40);
    let mut text = format!("\nCPU |  Usage |  User  | Kernel |  Idle\n{rule}\n");
    let percents = |cpu: &CpuUse| {
        format!("{:6.2}%| {:6.2}%| {:6.2}%| {:6.2}%", cpu.usage, cpu.user, cpu.kernel, cpu.idle)
    };
    for cpu in &span.cpus {
        line!(text, "{:>4}| {}", cpu.name, percents(cpu));
    }
    line!(text, "{rule}");
    if let Some(mean) = &span.cpu_mean {
        line!(text, "avg.| {}", percents(mean));
    }
    text
}

fn section(span: &SpanResult, total: Counts, at: usize, (latency, deviation): (bool, bool)) -> String {
    let pick = |counts: &SectionValues<Option<Counts>>| counts.each()[at].1.unwrap_or_default();
    let column = |there: bool, text: &'static str| if there { text } else { "" };
    let mut text = format!(
        "thread |       bytes     |     I/Os     |    MiB/s   |  I/O per s {}{}{}|  file\n",
        column(latency, "|  AvgLat  "),
        column(deviation, "| IopsStdDev "),
        column(latency, "| LatStdDev "),
    );
    let width = 78 + 11 * usize::from(latency) + 13 * usize::from(deviation) + 12 * usize::from(latency);
    let rule = "-".repeat(width);
    line!(text, "{rule}");
    for row in &span.rows {
        let size = print_size(row.file_bytes.unwrap_or(0));
        let columns = columns(pick(&row.counts), latency, deviation);
        line!(text, "{:6} | {columns} | {} ({size})", row.thread, row.path);
    }
    line!(text, "{rule}");
    line!(text, "total:   {}", columns(total, latency, deviation));
    text
}

fn columns(counts: Counts, latency: bool, deviation: bool) -> String {
    let mut text = format!(
        "{:15} | {:12} | {:10.2} | {:10.2}",
        counts.bytes,
        counts.operations,
        counts.mib_per_s.unwrap_or(0.0),
        counts.per_s.unwrap_or(0.0)
    );
    let known = |value: Option<f64>, width: usize, decimals: usize| match value {
        Some(value) => format!("{value:width$.decimals$}"),
        None => format!("{:>width$}", "N/A"),
    };
    if latency {
        text += &format!(" | {:8.3}", counts.mean_ms.unwrap_or(0.0));
    }
    if deviation {
        text += &format!(" | {}", known(counts.iops_deviation, 10, 2));
    }
    if latency {
        text += &format!(" |  {}", known(counts.deviation_ms, 8, 3));
    }
    text
}

fn percentiles(rows: &[Percentile]) -> String {
    let mut text = format!("  %-ile |  Read (ms) | Write (ms) | Total (ms)\n{}\n", "-".repeat(46));
    let cell = |value: Option<f64>| value.map_or("N/A".to_owned(), |ms| format!("{ms:.3}"));
    for row in rows {
        let name = PERCENTILES.iter().find(|(order, _)| *order == row.order).map_or("", |(_, name)| *name);
        let SectionValues { total, read, write } = row.ms.map(cell);
        line!(text, "{name:>7} | {read:>10} | {write:>10} | {total:>10}");
    }
    text
}

fn all_spans(spans: &[SpanResult]) -> String {
    let seconds: f64 = spans.iter().filter_map(|span| span.seconds).sum();
    let rule = "-".repeat(79);
    let mut text = format!("\n\nTotals:\n{}\n\n", "*".repeat(79));
    text += "type   |       bytes     |     I/Os     |    MiB/s   |  I/O per s\n";
    line!(text, "{rule}");
    let sum = |at: usize| {
        let each = spans.iter().filter_map(|span| *span.totals.each()[at].1);
        each.fold((0u64, 0u64), |sum, counts| {
            (sum.0.saturating_add(counts.bytes), sum.1.saturating_add(counts.operations))
        })
    };
    for (name, at) in [("write", 2), ("read", 1), ("total", 0)] {
        let (bytes, operations) = sum(at);
        if name == "total" {
            line!(text, "{rule}");
        }
        let per_s = |count: f64| if seconds > 0.0 { count / seconds } else { 0.0 };
        let (mib, rate) = (per_s(bytes as f64 / 1_048_576.0), per_s(operations as f64));
        line!(text, "{name:<6} | {bytes:15} | {operations:12} | {mib:10.2} | {rate:10.2}");
    }
    line!(text, "\ntotal test time:\t{seconds:.2}s");
    text
}
