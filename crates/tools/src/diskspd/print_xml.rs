//! Results as diskspd prints them with `-Rxml`.

use super::profile_xml::write_profile;
use super::results::{Counts, CpuUse, IopsBucket, Percentile, Results, SectionValues, SpanResult, ThreadRow};
use super::xml::{Lines, escaped};

/// The whole document.
pub fn print(results: &Results) -> String {
    let mut lines = Lines::default();
    lines.around("Results", |lines| {
        lines.around("System", |lines| {
            lines.value("ComputerName", results.computer.as_deref().unwrap_or_default());
            lines.around("Tool", |lines| {
                lines.value("Version", results.version.as_deref().unwrap_or_default());
                lines.value("VersionDate", results.version_date.as_deref().unwrap_or_default());
            });
            lines.value("RunTime", results.started.as_deref().unwrap_or_default());
        });
        if let Some(profile) = &results.profile {
            write_profile(lines, profile);
        }
        for span in &results.spans {
            lines.around("TimeSpan", |lines| write_span(lines, span));
        }
    });
    lines.finish()
}

fn write_span(lines: &mut Lines, span: &SpanResult) {
    lines.value("TestTimeSeconds", format!("{:.2}", span.seconds.unwrap_or(0.0)));
    lines.value("ThreadCount", span.threads.unwrap_or(span.rows.len() as u64));
    lines.value("RequestCount", 0);
    lines.value_if("ProcCount", span.processors);
    if !span.cpus.is_empty() {
        lines.around("CpuUtilization", |lines| {
            for cpu in &span.cpus {
                lines.around("CPU", |lines| {
                    lines.value("Group", 0);
                    lines.value("Id", &cpu.name);
                    write_use(lines, cpu);
                });
            }
            if let Some(mean) = &span.cpu_mean {
                lines.around("Average", |lines| write_use(lines, mean));
            }
        });
    }
    if !span.percentiles.is_empty() {
        lines.around("Latency", |lines| write_latency(lines, span));
    }
    if span.totals.total.is_some_and(|total| total.iops_deviation.is_some()) {
        lines.around("Iops", |lines| write_iops(lines, &span.totals, &span.iops));
    }
    // A thread is one element with all its targets.
    let mut rows = span.rows.iter().peekable();
    while let Some(first) = rows.peek().map(|row| row.thread) {
        lines.around("Thread", |lines| {
            lines.value("Id", first);
            while let Some(row) = rows.next_if(|row| row.thread == first) {
                lines.around("Target", |lines| write_row(lines, row));
            }
        });
    }
}

fn write_use(lines: &mut Lines, cpu: &CpuUse) {
    let percents = [("Usage", cpu.usage), ("User", cpu.user), ("Kernel", cpu.kernel), ("Idle", cpu.idle)];
    for (name, percent) in percents {
        lines.value(&format!("{name}Percent"), format!("{percent:.2}"));
    }
}

fn write_latency(lines: &mut Lines, span: &SpanResult) {
    let SectionValues { total, read, write } = &span.totals;
    for (name, deviation, counts) in [
        ("AverageReadMilliseconds", "ReadLatencyStdev", read),
        ("AverageWriteMilliseconds", "WriteLatencyStdev", write),
        ("AverageTotalMilliseconds", "LatencyStdev", total),
    ] {
        let Some(counts) = counts.as_ref().filter(|counts| counts.operations > 0) else { continue };
        lines.value_if(name, counts.mean_ms.map(|ms| format!("{ms:.3}")));
        lines.value_if(deviation, counts.deviation_ms.map(|ms| format!("{ms:.3}")));
    }
    for row in &span.percentiles {
        lines.around("Bucket", |lines| write_percentile(lines, row));
    }
}

fn write_percentile(lines: &mut Lines, row: &Percentile) {
    // As many decimals as there are, and none more: 99.999, not 99.99900000000001.
    let percent = format!("{:.7}", row.order * 100.0);
    lines.value("Percentile", percent.trim_end_matches('0').trim_end_matches('.'));
    let SectionValues { total, read, write } = row.ms.map(|ms| ms.map(|ms| format!("{ms:.3}")));
    lines.value_if("ReadMilliseconds", read);
    lines.value_if("WriteMilliseconds", write);
    lines.value_if("TotalMilliseconds", total);
}

fn write_iops(lines: &mut Lines, totals: &SectionValues<Option<Counts>>, buckets: &[IopsBucket]) {
    for (name, counts) in
        [("ReadIopsStdDev", totals.read), ("WriteIopsStdDev", totals.write), ("IopsStdDev", totals.total)]
    {
        let counts = counts.filter(|counts| counts.operations > 0);
        lines.value_if(name, counts.and_then(|c| c.iops_deviation).map(|value| format!("{value:.3}")));
    }
    for bucket in buckets {
        let SectionValues { total, read, write } = bucket.operations;
        lines.line(&format!(
            "<Bucket SampleMillisecond=\"{:.0}\" Read=\"{read:.0}\" Write=\"{write:.0}\" Total=\"{total:.0}\"/>",
            bucket.end_ms
        ));
    }
}

fn write_row(lines: &mut Lines, row: &ThreadRow) {
    let SectionValues { total, read, write } = row.counts.map(Option::unwrap_or_default);
    lines.line(&format!("<Path>{}</Path>", escaped(&row.path)));
    lines.value("BytesCount", total.bytes);
    lines.value("FileSize", row.file_bytes.unwrap_or(0));
    lines.value("IOCount", total.operations);
    lines.value("ReadBytes", read.bytes);
    lines.value("ReadCount", read.operations);
    lines.value("WriteBytes", write.bytes);
    lines.value("WriteCount", write.operations);
    for (name, counts) in [
        ("AverageReadLatencyMilliseconds", read),
        ("AverageWriteLatencyMilliseconds", write),
        ("AverageLatencyMilliseconds", total),
    ] {
        let mean = counts.mean_ms.filter(|_| counts.operations > 0);
        lines.value_if(name, mean.map(|ms| format!("{ms:.3}")));
    }
}
