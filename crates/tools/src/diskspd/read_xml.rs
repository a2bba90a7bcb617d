//! Results from diskspd's XML.

use roxmltree::Node;

use super::profile_xml::profile_of;
use super::results::{Counts, CpuUse, IopsBucket, Percentile, Results, SectionValues, SpanResult, ThreadRow};
use super::xml::{self, child, children, number, text};
use crate::{Fault, Refusal};

/// What a document is taken for.
pub const WHAT: &str = "diskspd XML result";

/// Reads a result.
///
/// # Errors
/// Where it stops making sense.
pub fn read(document: &str) -> Result<Results, Refusal> {
    let document = xml::parse(document.trim_start_matches('\u{feff}').trim_start(), WHAT)?;
    let root = document.root_element();
    match root.tag_name().name() {
        "Results" => {}
        "Profile" => {
            return Err(Refusal::new(WHAT, "it is a profile, which says what to run, and no result")
                .or("to run it, type: fathom diskspd -Xprofile.xml"));
        }
        other => {
            return Err(Refusal::new(WHAT, format!("its outermost element is <{other}>, not <Results>")));
        }
    }
    let system = child(root, "System");
    let tool = system.and_then(|system| child(system, "Tool"));
    let told =
        |node: Option<Node<'_, '_>>, name: &str| node.and_then(|node| text(node, name)).map(str::to_owned);
    let profile = child(root, "Profile").map(profile_of).transpose()?;
    let spans = children(root, "TimeSpan").enumerate().map(|(at, span)| {
        read_span(span).map_err(|fault| fault.of(WHAT).at(format!("time span {}", at + 1)))
    });
    let spans: Vec<SpanResult> = spans.collect::<Result<_, _>>()?;
    if spans.is_empty() {
        return Err(Refusal::new(WHAT, "it has no time span"));
    }
    Ok(Results {
        profile,
        command_line: String::new(),
        version: told(tool, "Version").filter(|version| !version.contains('@')),
        version_date: told(tool, "VersionDate").filter(|date| !date.contains('@')),
        computer: told(system, "ComputerName"),
        started: told(system, "RunTime"),
        processors: None,
        spans,
        quirks: Vec::new(),
    })
}

fn read_span(node: Node<'_, '_>) -> Result<SpanResult, Fault> {
    let mut span = SpanResult {
        seconds: number(node, "TestTimeSeconds")?,
        threads: number(node, "ThreadCount")?,
        processors: number(node, "ProcCount")?,
        ..SpanResult::default()
    };
    if !span.seconds.is_none_or(|seconds: f64| seconds.is_finite() && seconds >= 0.0) {
        return Err("<TestTimeSeconds> is not a valid time".into());
    }
    if let Some(processors) = child(node, "CpuUtilization") {
        span.cpus = children(processors, "CPU").map(cpu).collect::<Result<_, _>>()?;
        span.cpu_mean = child(processors, "Average").map(cpu).transpose()?;
    }
    for thread in children(node, "Thread") {
        let id = number(thread, "Id")?.unwrap_or(span.rows.len() as u64);
        for target in children(thread, "Target") {
            span.rows.push(row(id, target)?);
        }
    }
    if span.rows.is_empty() {
        return Err("it has no thread".into());
    }
    span.totals = SectionValues {
        total: Some(sum(&span.rows, |counts| counts.total)?),
        read: Some(sum(&span.rows, |counts| counts.read)?),
        write: Some(sum(&span.rows, |counts| counts.write)?),
    };
    if let Some(latency) = child(node, "Latency") {
        read_latency(&mut span, latency)?;
    }
    if let Some(iops) = child(node, "Iops") {
        read_iops(&mut span, iops)?;
    }
    Ok(span)
}

fn cpu(node: Node<'_, '_>) -> Result<CpuUse, Fault> {
    let percent = |name: &str| Ok::<_, Fault>(number::<f64>(node, name)?.unwrap_or(0.0));
    let place = ["Socket", "Node", "Group", "Id"].into_iter().filter_map(|name| text(node, name));
    let place: Vec<&str> = place.collect();
    Ok(CpuUse {
        name: place.join("/"),
        usage: percent("UsagePercent")?,
        user: percent("UserPercent")?,
        kernel: percent("KernelPercent")?,
        idle: percent("IdlePercent")?,
    })
}

fn row(thread: u64, node: Node<'_, '_>) -> Result<ThreadRow, Fault> {
    let path = text(node, "Path").ok_or("a thread's target has no <Path>, which diskspd always prints")?;
    let need = |name: &str| {
        number::<u64>(node, name)?.ok_or_else(|| Fault::from(format!("the target `{path}` has no <{name}>")))
    };
    let counts = |bytes: &str, operations: &str, mean: &str, deviation: &str| {
        Ok::<_, Fault>(Some(Counts {
            bytes: need(bytes)?,
            operations: need(operations)?,
            mean_ms: number(node, mean)?,
            deviation_ms: number(node, deviation)?,
            ..Counts::default()
        }))
    };
    let sections = SectionValues {
        total: counts("BytesCount", "IOCount", "AverageLatencyMilliseconds", "LatencyStdev")?,
        read: counts("ReadBytes", "ReadCount", "AverageReadLatencyMilliseconds", "ReadLatencyStdev")?,
        write: counts("WriteBytes", "WriteCount", "AverageWriteLatencyMilliseconds", "WriteLatencyStdev")?,
    };
    let SectionValues { total, read, write } = sections.map(Option::unwrap_or_default);
    let whole = (read.bytes.checked_add(write.bytes), read.operations.checked_add(write.operations));
    if whole != (Some(total.bytes), Some(total.operations)) {
        return Err(format!("reads and writes of `{path}` are not its <BytesCount> and <IOCount>").into());
    }
    let file_bytes = number(node, "FileSize")?.filter(|bytes| *bytes > 0);
    Ok(ThreadRow { thread, path: path.to_owned(), file_bytes, counts: sections })
}

/// What all threads did; XML tells no total of its own.
fn sum(
    rows: &[ThreadRow],
    pick: impl Fn(&SectionValues<Option<Counts>>) -> Option<Counts>,
) -> Result<Counts, Fault> {
    rows.iter().filter_map(|row| pick(&row.counts)).try_fold(Counts::default(), |sum, counts| {
        let added = |a: u64, b: u64| a.checked_add(b).ok_or("the threads add up to more than any count");
        Ok(Counts {
            bytes: added(sum.bytes, counts.bytes)?,
            operations: added(sum.operations, counts.operations)?,
            ..Counts::default()
        })
    })
}

fn read_latency(span: &mut SpanResult, node: Node<'_, '_>) -> Result<(), Fault> {
    let named = [
        ("AverageReadMilliseconds", "ReadLatencyStdev", &mut span.totals.read),
        ("AverageWriteMilliseconds", "WriteLatencyStdev", &mut span.totals.write),
        ("AverageTotalMilliseconds", "LatencyStdev", &mut span.totals.total),
    ];
    for (mean, deviation, counts) in named {
        if let Some(counts) = counts {
            (counts.mean_ms, counts.deviation_ms) = (number(node, mean)?, number(node, deviation)?);
        }
    }
    for bucket in children(node, "Bucket") {
        let percent: f64 = number(bucket, "Percentile")?.ok_or("a latency has no <Percentile>")?;
        if !(0.0..=100.0).contains(&percent) {
            return Err(format!("unknown percentile {percent}").into());
        }
        span.percentiles.push(Percentile {
            order: percent / 100.0,
            ms: SectionValues {
                total: number(bucket, "TotalMilliseconds")?,
                read: number(bucket, "ReadMilliseconds")?,
                write: number(bucket, "WriteMilliseconds")?,
            },
        });
    }
    Ok(())
}

fn read_iops(span: &mut SpanResult, node: Node<'_, '_>) -> Result<(), Fault> {
    for (name, counts) in [
        ("ReadIopsStdDev", &mut span.totals.read),
        ("WriteIopsStdDev", &mut span.totals.write),
        ("IopsStdDev", &mut span.totals.total),
    ] {
        if let Some(counts) = counts {
            counts.iops_deviation = number(node, name)?;
        }
    }
    for bucket in children(node, "Bucket") {
        let value = |name: &str| {
            let text = bucket.attribute(name).unwrap_or("0");
            text.trim().parse::<f64>().map_err(|_| format!("`{text}` in {name} is not a number"))
        };
        span.iops.push(IopsBucket {
            end_ms: value("SampleMillisecond")?,
            operations: SectionValues {
                total: value("Total")?,
                read: value("Read")?,
                write: value("Write")?,
            },
        });
    }
    Ok(())
}
