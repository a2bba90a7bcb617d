//! XML profiles, read and printed.

use roxmltree::Node;

use super::caching::{CacheMode, Caching, Flush};
use super::diskspd_command_line::{XmlRun, check};
use super::random_distribution::Distribution;
use super::span_profile::{Content, Hint, Limit, Profile, Target, TimeSpan};
use super::xml::{self, Lines, child, children, flag, number, text};
use crate::{Fault, Refusal};

const WHAT: &str = "XML profile of diskspd";

/// Reads a profile.
///
/// # Errors
/// Where it stops making sense.
pub fn read_profile(text: &str) -> Result<Profile, Refusal> {
    let document = xml::parse(text.trim_start_matches('\u{feff}').trim_start(), WHAT)?;
    profile_of(document.root_element())
}

/// Reads the profile that an element holds.
pub(super) fn profile_of(root: Node<'_, '_>) -> Result<Profile, Refusal> {
    if !root.has_tag_name("Profile") {
        let cause = format!("its outermost element is <{}>, not <Profile>", root.tag_name().name());
        return Err(Refusal::new(WHAT, cause));
    }
    let spans = child(root, "TimeSpans").into_iter().flat_map(|spans| children(spans, "TimeSpan"));
    let spans = spans.enumerate().map(|(at, span)| {
        read_span(span).map_err(|fault| fault.of(WHAT).at(format!("time span {}", at + 1)))
    });
    let profile = Profile {
        xml_results: text(root, "ResultFormat") == Some("xml"),
        profile_only: false,
        verbose: flag(root, "Verbose").map_err(|fault| fault.of(WHAT))?,
        spans: spans.collect::<Result<_, _>>()?,
        command_line: String::new(),
    };
    if profile.spans.is_empty() {
        return Err(Refusal::new(WHAT, "it has no time span"));
    }
    Ok(profile)
}

impl XmlRun {
    /// Puts in what the flags beside the profile say: times, seed, and targets for its templates.
    ///
    /// # Errors
    /// A template without a target, a target without a template.
    pub fn apply(&self, mut profile: Profile) -> Result<Profile, Refusal> {
        profile.xml_results = self.xml_results.unwrap_or(profile.xml_results);
        profile.profile_only |= self.profile_only;
        let mut used = vec![false; self.substitutes.len()];
        for span in &mut profile.spans {
            span.duration_s = self.duration_s.unwrap_or(span.duration_s);
            span.warmup_s = self.warmup_s.unwrap_or(span.warmup_s);
            span.cooldown_s = self.cooldown_s.unwrap_or(span.cooldown_s);
            span.seed = self.seed.unwrap_or(span.seed);
            for target in &mut span.targets {
                let Some(number) = target.path.strip_prefix('*') else { continue };
                let at = number.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
                match at.and_then(|at| Some((at, self.substitutes.get(at)?))) {
                    Some((at, path)) => {
                        used[at] = true;
                        target.path.clone_from(path);
                    }
                    None if profile.profile_only => {}
                    None => {
                        return Err(Refusal::new(WHAT, "nothing is given for this template")
                            .at(format!("`{}`", target.path))
                            .or("name one target behind the flags for each template, in their order"));
                    }
                }
            }
        }
        match used.iter().position(|used| !used) {
            None => Ok(profile),
            Some(at) => Err(Refusal::new(WHAT, format!("the profile has no template *{}", at + 1))
                .at(format!("`{}`", self.substitutes[at]))
                .or("leave the target out: the profile names its own")),
        }
    }
}

fn read_span(node: Node<'_, '_>) -> Result<TimeSpan, Fault> {
    let usual = TimeSpan::default();
    let targets = child(node, "Targets").into_iter().flat_map(|targets| children(targets, "Target"));
    let interval = number(node, "IoBucketDuration")?.unwrap_or(1000);
    let span = TimeSpan {
        duration_s: number(node, "Duration")?.unwrap_or(usual.duration_s),
        warmup_s: number(node, "Warmup")?.unwrap_or(usual.warmup_s),
        cooldown_s: number(node, "Cooldown")?.unwrap_or(0),
        seed: number(node, "RandSeed")?.unwrap_or(0),
        threads: number(node, "ThreadCount")?.unwrap_or(0),
        outstanding: number(node, "RequestCount")?.unwrap_or(0),
        latency: flag(node, "MeasureLatency")?,
        iops_interval_ms: flag(node, "CalculateIopsStdDev")?.then_some(interval),
        no_affinity: flag(node, "DisableAffinity")?,
        affinity: affinity(node)?,
        random_write_data: flag(node, "RandomWriteData")?,
        completion_routines: flag(node, "CompletionRoutines")?,
        targets: targets.map(read_target).collect::<Result<_, _>>()?,
    };
    if span.targets.is_empty() {
        return Err("it has no target".into());
    }
    Ok(span)
}

fn affinity(node: Node<'_, '_>) -> Result<Vec<(u64, u64)>, Fault> {
    let Some(list) = child(node, "Affinity") else { return Ok(Vec::new()) };
    let of = |node: Node<'_, '_>, name: &str| {
        let value = node.attribute(name).ok_or_else(|| format!("<AffinityGroupAssignment> has no {name}"))?;
        value.trim().parse::<u64>().map_err(|_| Fault::from(format!("`{value}` in {name} is not a number")))
    };
    list.children()
        .filter(Node::is_element)
        .map(|entry| match entry.tag_name().name() {
            "AffinityGroupAssignment" => Ok((of(entry, "Group")?, of(entry, "Processor")?)),
            _ => {
                let value = entry.text().unwrap_or_default().trim();
                Ok((0, value.parse().map_err(|_| format!("`{value}` in <Affinity> is not a number"))?))
            }
        })
        .collect()
}

fn read_target(node: Node<'_, '_>) -> Result<Target, Fault> {
    let path = child(node, "Path").ok_or("a target has no <Path>")?.text().unwrap_or_default().trim();
    let usual = Target::new(path);
    let block_bytes = number(node, "BlockSize")?.unwrap_or(usual.block_bytes);
    if block_bytes == 0 {
        return Err("<BlockSize> is 0".into());
    }
    let random: Option<u64> = number(node, "Random")?;
    let stride: Option<u64> = number(node, "StrideSize")?;
    let ratio: Option<u64> = number(node, "RandomRatio")?;
    let hints = [
        ("RandomAccess", Hint::Random),
        ("SequentialScan", Hint::Sequential),
        ("TemporaryFile", Hint::Temporary),
    ];
    let mut target = Target {
        block_bytes,
        step_bytes: random.or(stride),
        random_percent: ratio.unwrap_or(if random.is_some() { 100 } else { 0 }),
        interlocked: flag(node, "InterlockedSequential")?,
        distribution: distribution(node)?,
        base_bytes: number(node, "BaseFileOffset")?.unwrap_or(0),
        end_bytes: number(node, "MaxFileSize")?.filter(|end| *end > 0),
        thread_stride_bytes: number(node, "ThreadStride")?.unwrap_or(0),
        outstanding: number(node, "RequestCount")?.unwrap_or(usual.outstanding),
        threads: number(node, "ThreadsPerFile")?.unwrap_or(usual.threads),
        write_percent: number(node, "WriteRatio")?.unwrap_or(0),
        caching: caching(node)?,
        content: content(node)?,
        limit: limit(node)?,
        burst: number(node, "BurstSize")?.unwrap_or(0),
        think_ms: number(node, "ThinkTime")?.unwrap_or(0),
        create_bytes: number(node, "FileSize")?.filter(|bytes| *bytes > 0),
        parallel: flag(node, "ParallelAsyncIO")?,
        priority: number(node, "IOPriority")?.unwrap_or(usual.priority),
        large_pages: flag(node, "UseLargePages")?,
        weight: number(node, "Weight")?.unwrap_or(usual.weight),
        some_threads: child(node, "ThreadTargets").is_some(),
        ..usual
    };
    for (name, hint) in hints {
        if flag(node, name)? {
            target.hints.push(hint);
        }
    }
    if target.random_percent > 100 || target.write_percent > 100 {
        return Err("a share is above 100 percent".into());
    }
    Ok(target)
}

fn distribution(node: Node<'_, '_>) -> Result<Option<Distribution>, Fault> {
    let Some(node) = child(node, "Distribution") else { return Ok(None) };
    let Some(kind) = node.children().find(Node::is_element) else { return Ok(None) };
    let absolute = match kind.tag_name().name() {
        "Absolute" => true,
        "Percent" => false,
        other => return Err(format!("<{other}> is not a valid distribution").into()),
    };
    let part = |range: Node<'_, '_>| {
        let share = range.attribute("IO").unwrap_or_default().trim();
        let length = range.text().unwrap_or_default().trim();
        let number =
            |text: &str| text.parse::<u64>().map_err(|_| format!("`{text}` in <Range> is not a number"));
        Ok::<_, Fault>((number(share)?, number(length)?))
    };
    Ok(Some(Distribution { absolute, parts: children(kind, "Range").map(part).collect::<Result<_, _>>()? }))
}

fn caching(node: Node<'_, '_>) -> Result<Caching, Fault> {
    let all = flag(node, "DisableAllCache")?;
    let mode = if all || flag(node, "DisableOSCache")? {
        CacheMode::Unbuffered
    } else if flag(node, "DisableLocalCache")? {
        CacheMode::Remote
    } else {
        CacheMode::Cached
    };
    let flush = match text(node, "FlushType") {
        None => None,
        Some("ViewOfFile") => Some(Flush::View),
        Some("NonVolatileMemory") => Some(Flush::Memory),
        Some("NonVolatileMemoryNoDrain") => Some(Flush::MemoryNoDrain),
        Some(other) => return Err(format!("`{other}` is not a valid kind of flush").into()),
    };
    Ok(Caching {
        mode,
        write_through: all || flag(node, "WriteThrough")?,
        mapped: flag(node, "MemoryMappedIo")?,
        flush,
    })
}

fn content(node: Node<'_, '_>) -> Result<Content, Fault> {
    let Some(node) = child(node, "WriteBufferContent") else { return Ok(Content::default()) };
    match text(node, "Pattern") {
        None | Some("sequential") => Ok(Content::Counting),
        Some("zero") => Ok(Content::Zeros),
        Some("random") => {
            let source =
                child(node, "RandomDataSource").ok_or("a random pattern has no <RandomDataSource>")?;
            let bytes = number(source, "SizeInBytes")?.ok_or("<RandomDataSource> has no <SizeInBytes>")?;
            Ok(Content::Buffer { bytes, file: text(source, "FilePath").map(str::to_owned) })
        }
        Some(other) => Err(format!("`{other}` is not a valid pattern of what is written").into()),
    }
}

fn limit(node: Node<'_, '_>) -> Result<Option<Limit>, Fault> {
    let Some(limit) = number::<u64>(node, "Throughput")?.filter(|limit| *limit > 0) else { return Ok(None) };
    let unit = child(node, "Throughput").and_then(|node| node.attribute("unit")).unwrap_or("BPMS");
    match unit {
        "IOPS" => Ok(Some(Limit::PerS(limit))),
        "BPMS" => Ok(Some(Limit::BytesPerMs(limit))),
        other => Err(format!("`{other}` is not a valid unit of a throughput: IOPS or BPMS").into()),
    }
}

/// The profile as diskspd prints it.
pub fn print_profile(profile: &Profile) -> String {
    let mut lines = Lines::default();
    write_profile(&mut lines, profile);
    lines.finish()
}

pub(super) fn write_profile(lines: &mut Lines, profile: &Profile) {
    lines.around("Profile", |lines| {
        lines.value("Progress", 0);
        lines.value("ResultFormat", if profile.xml_results { "xml" } else { "text" });
        lines.value("Verbose", profile.verbose);
        lines.around("TimeSpans", |lines| profile.spans.iter().for_each(|span| write_span(lines, span)));
    });
}

fn write_span(lines: &mut Lines, span: &TimeSpan) {
    lines.around("TimeSpan", |lines| {
        lines.value("CompletionRoutines", span.completion_routines);
        lines.value("MeasureLatency", span.latency);
        lines.value("CalculateIopsStdDev", span.iops_interval_ms.is_some());
        lines.value("DisableAffinity", span.no_affinity);
        lines.value("Duration", span.duration_s);
        lines.value("Warmup", span.warmup_s);
        lines.value("Cooldown", span.cooldown_s);
        lines.value("ThreadCount", span.threads);
        lines.value("RequestCount", span.outstanding);
        lines.value("IoBucketDuration", span.iops_interval_ms.unwrap_or(1000));
        lines.value("RandSeed", span.seed);
        if span.random_write_data {
            lines.value("RandomWriteData", true);
        }
        if !span.affinity.is_empty() {
            lines.around("Affinity", |lines| {
                for (group, cpu) in &span.affinity {
                    lines.line(&format!("<AffinityGroupAssignment Group=\"{group}\" Processor=\"{cpu}\"/>"));
                }
            });
        }
        lines.around("Targets", |lines| span.targets.iter().for_each(|target| write_target(lines, target)));
    });
}

fn write_target(lines: &mut Lines, target: &Target) {
    lines.around("Target", |lines| {
        lines.value("Path", &target.path);
        lines.value("BlockSize", target.block_bytes);
        lines.value("BaseFileOffset", target.base_bytes);
        lines.value("SequentialScan", target.hints.contains(&Hint::Sequential));
        lines.value("RandomAccess", target.hints.contains(&Hint::Random));
        lines.value("TemporaryFile", target.hints.contains(&Hint::Temporary));
        lines.value("UseLargePages", target.large_pages);
        write_caching(lines, target.caching);
        write_content(lines, &target.content);
        lines.value("ParallelAsyncIO", target.parallel);
        if target.burst > 0 {
            lines.value("BurstSize", target.burst);
            lines.value("ThinkTime", target.think_ms);
        }
        lines.value_if("FileSize", target.create_bytes);
        write_addresses(lines, target);
        lines.value("ThreadStride", target.thread_stride_bytes);
        lines.value("MaxFileSize", target.end_bytes.unwrap_or(0));
        lines.value("RequestCount", target.outstanding);
        lines.value("WriteRatio", target.write_percent);
        match target.limit {
            Some(Limit::PerS(rate)) => lines.line(&format!("<Throughput unit=\"IOPS\">{rate}</Throughput>")),
            Some(Limit::BytesPerMs(bytes)) => lines.value("Throughput", bytes),
            None => lines.value("Throughput", 0),
        }
        lines.value("ThreadsPerFile", target.threads);
        lines.value("IOPriority", target.priority);
        lines.value("Weight", target.weight);
    });
}

fn write_caching(lines: &mut Lines, caching: Caching) {
    match caching.mode {
        CacheMode::Cached => {}
        CacheMode::Remote => lines.value("DisableLocalCache", true),
        CacheMode::Unbuffered => lines.value("DisableOSCache", true),
    }
    if caching.write_through {
        lines.value("WriteThrough", true);
    }
    if caching.mapped {
        lines.value("MemoryMappedIo", true);
    }
    let flush = caching.flush.map(|flush| match flush {
        Flush::View => "ViewOfFile",
        Flush::Memory => "NonVolatileMemory",
        Flush::MemoryNoDrain => "NonVolatileMemoryNoDrain",
    });
    lines.value_if("FlushType", flush);
}

fn write_content(lines: &mut Lines, content: &Content) {
    lines.around("WriteBufferContent", |lines| match content {
        Content::Counting => lines.value("Pattern", "sequential"),
        Content::Zeros => lines.value("Pattern", "zero"),
        Content::Buffer { bytes, file } => {
            lines.value("Pattern", "random");
            lines.around("RandomDataSource", |lines| {
                lines.value("SizeInBytes", bytes);
                lines.value_if("FilePath", file.as_ref());
            });
        }
    });
}

fn write_addresses(lines: &mut Lines, target: &Target) {
    if target.random_percent == 0 {
        lines.value("StrideSize", target.step());
        lines.value("InterlockedSequential", target.interlocked);
        return;
    }
    lines.value("Random", target.step());
    if target.random_percent < 100 {
        lines.value("RandomRatio", target.random_percent);
    }
    if let Some(distribution) = &target.distribution {
        let kind = if distribution.absolute { "Absolute" } else { "Percent" };
        lines.around("Distribution", |lines| {
            lines.around(kind, |lines| {
                for (share, length) in &distribution.parts {
                    lines.line(&format!("<Range IO=\"{share}\">{length}</Range>"));
                }
            });
        });
    }
}

/// Refuses a profile whose spans contradict themselves.
///
/// # Errors
/// The first contradiction.
pub fn check_profile(profile: &Profile) -> Result<(), Refusal> {
    for (at, span) in profile.spans.iter().enumerate() {
        // Remedies are flags, which a profile has not.
        check(span).map_err(|fault| Refusal::new(WHAT, fault.cause).at(format!("time span {}", at + 1)))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diskspd::{Command, read_command};

    #[test]
    fn what_is_printed_reads_back() {
        for line in [
            "x",
            "-b4K -r -o32 -t4 -w30 -Sh -L -D -c1G -z7 a&b c",
            "-rs50 -b8K -Suw -Zr -F4 x",
            "-r -rdpct90/10:10/20 -Z1M,f.bin -a0,3 x",
            "-r -rdabs10/1G:10/1G -n -g100i x",
            "-s128K -T1M -t2 -B1M:4G -g500 -i3 -j4 -Sm -Nv -fst x",
            "-si -Sr -I1 -l x",
        ] {
            let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
            let Ok(Command::Run(profile)) = read_command(&words, 1) else { unreachable!("{line}") };
            let mut expected = Profile { command_line: String::new(), ..*profile };
            expected.spans[0].targets.iter_mut().for_each(|target| {
                target.step_bytes = Some(target.step());
                target.hints.sort_by_key(|hint| *hint as u8);
            });
            let printed = print_profile(&expected);
            assert_eq!(read_profile(&printed), Ok(expected), "{line}\n{printed}");
        }
    }

    #[test]
    fn templates_take_the_targets_of_the_command_line() {
        let profile = |path: &str| {
            let text = format!(
                "<Profile><TimeSpans><TimeSpan><Targets><Target><Path>{path}</Path></Target></Targets></TimeSpan></TimeSpans></Profile>"
            );
            read_profile(&text).expect("a profile")
        };
        let run = |targets: &[&str]| XmlRun {
            substitutes: targets.iter().map(ToString::to_string).collect(),
            duration_s: Some(3),
            ..XmlRun::default()
        };
        let filled = run(&["a.dat"]).apply(profile("*1")).expect("a target for it");
        assert_eq!((filled.spans[0].targets[0].path.as_str(), filled.spans[0].duration_s), ("a.dat", 3));
        assert!(run(&[]).apply(profile("*1")).is_err());
        assert!(run(&["a", "b"]).apply(profile("*1")).is_err());
        assert!(run(&["a"]).apply(profile("x")).is_err());
    }

    #[test]
    fn what_is_no_profile_is_refused_with_its_place() {
        for (text, found) in [
            ("", "well-formed"),
            ("<Profile>", "well-formed"),
            ("<Results/>", "<Results>"),
            ("<Profile/>", "no time span"),
            ("<Profile><TimeSpans><TimeSpan/></TimeSpans></Profile>", "time span 1: it has no target"),
        ] {
            let refusal = read_profile(text).expect_err(text).to_string();
            assert!(refusal.contains(found), "{refusal}");
        }
    }
}
