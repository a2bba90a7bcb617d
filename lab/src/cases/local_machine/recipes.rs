//! The cases on this machine: what each sets up, and what fathom is asked there.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use super::super::super::loop_device::LoopDevice;
use super::super::super::teardown::GuardStack;
use super::super::case::{Truth, words};
use super::group::{Group, Limit};
use super::mount::MountGuard;
use super::rival::Rival;
use super::served::ServedTarget;
use super::zram::Zram;

/// What a set-up may use.
pub struct Bench<'a> {
    pub fathom: &'a Path,
    /// Empty at first, and removed at the end.
    pub folder: &'a Path,
}

/// A set-up that stands.
#[derive(Default)]
pub struct CaseSetup {
    pub arguments: Vec<String>,
    /// `cgroup.procs` of the groups that fathom joins.
    pub groups: Vec<PathBuf>,
}

/// How a case is set up; an error is why it cannot be.
type SetupFunction = fn(&Bench<'_>, &mut GuardStack) -> Result<CaseSetup, String>;

/// One case.
pub struct Recipe {
    pub id: &'static str,
    pub truth: Truth,
    /// Whether anybody can set it up.
    pub needs_root: bool,
    /// Whether it belongs to the short lab.
    pub short: bool,
    pub make: SetupFunction,
}

const DISK_MIB: usize = 256;

/// All of them.
pub fn all() -> Vec<Recipe> {
    let short = |id, truth, make| Recipe { id, truth, needs_root: false, short: true, make };
    let any = |id, truth, make| Recipe { id, truth, needs_root: false, short: false, make };
    let root = |id, truth, make| Recipe { id, truth, needs_root: true, short: false, make };
    let one = Truth::one;
    let either = |causes: &[&'static str]| Truth::Binds(causes.to_vec());
    vec![
        any("generator", either(&["generator", "one_core"]), generator),
        short("delayed", one("concurrency"), delayed),
        any("rate-carried", Truth::Nothing, rate_carried),
        short("throttle-iops", either(&["volume_iops", "rate_cap"]), throttle_iops),
        short("throttle-bytes", either(&["volume_throughput", "rate_cap"]), throttle_bytes),
        any("page-cache", one("cache_artefact"), page_cache),
        root("group-iops", one("volume_iops"), group_iops),
        root("group-iops-low", one("volume_iops"), group_iops_low),
        root("group-bytes", one("volume_throughput"), group_bytes),
        root("group-write-bytes", one("volume_throughput"), group_write_bytes),
        root("volume-iops-told", one("volume_iops"), volume_iops_told),
        root("volume-bytes-told", one("volume_throughput"), volume_bytes_told),
        root("quota", one("all_cores"), quota),
        root("one-core", either(&["one_core", "all_cores"]), one_core),
        root("all-cores", either(&["all_cores", "one_core"]), all_cores),
        root("rival", one("interference"), rival),
        any("target-core", one("target_core"), target_core),
        root("depth-1-disk", one("concurrency"), delayed_disk),
        root("rate-carried-disk", Truth::Nothing, rate_disk),
        // On a disk in memory the work of a file system is processor time and waiting for its locks.
        root("ext4-durable", either(&["flush_latency", "file_system", "software", "one_core"]), ext4_durable),
        root("btrfs", either(&["flush_latency", "file_system", "software", "one_core"]), btrfs),
    ]
}

fn ready(line: &str) -> Result<CaseSetup, String> {
    Ok(CaseSetup { arguments: words(line), groups: Vec::new() })
}

fn generator(_: &Bench<'_>, _: &mut GuardStack) -> Result<CaseSetup, String> {
    ready("null: --rw randread --bs 4k --depth 64")
}

fn delayed(_: &Bench<'_>, _: &mut GuardStack) -> Result<CaseSetup, String> {
    ready("null: --rw randread --bs 4k --depth 4 --delay lognormal:2ms/0.3")
}

fn rate_carried(_: &Bench<'_>, _: &mut GuardStack) -> Result<CaseSetup, String> {
    ready("memory: --size 256MiB --rw randread --bs 4k --rate 2k")
}

fn throttle_iops(_: &Bench<'_>, _: &mut GuardStack) -> Result<CaseSetup, String> {
    ready("memory: --size 256MiB --rw randread --bs 4k --depth 16 --throttle iops=3000")
}

fn throttle_bytes(_: &Bench<'_>, _: &mut GuardStack) -> Result<CaseSetup, String> {
    ready("memory: --size 256MiB --rw randread --bs 64k --depth 16 --throttle throughput=90MB/s")
}

/// A file that was just written and read is in the page cache.
fn page_cache(bench: &Bench<'_>, _: &mut GuardStack) -> Result<CaseSetup, String> {
    let path = bench.folder.join("cached");
    let mut noise = File::open("/dev/urandom").map_err(|error| error.to_string())?;
    let mut bytes = vec![0; 128 << 20];
    let written = noise.read_exact(&mut bytes).and_then(|()| {
        let mut file = File::create(&path)?;
        file.write_all(&bytes)?;
        file.sync_all()
    });
    written.map_err(|error| format!("{}: {error}", path.display()))?;
    fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    ready(&format!("{} --rw randread --bs 4k --depth 1 --buffered --engine sync", path.display()))
}

/// A disk in memory, and a loop device over it: what limits the disk is below what fathom measures.
fn disk(held: &mut GuardStack) -> Result<(String, String), String> {
    let disk = Zram::new(DISK_MIB)?;
    let number = disk.device_number()?;
    let over = LoopDevice::over(&disk.path())?;
    let path = over.path().to_owned();
    held.keep(disk);
    held.keep(over);
    Ok((path, number))
}

fn grouped(held: &mut GuardStack, limit: Limit<'_>, line: &str) -> Result<CaseSetup, String> {
    let group = Group::new(limit)?;
    let groups = vec![group.members()];
    held.keep(group);
    Ok(CaseSetup { groups, ..ready(line)? })
}

/// The group's limit is on the disk itself, where fathom can read it.
fn limited(held: &mut GuardStack, limit: fn(&str) -> Limit<'_>, line: &str) -> Result<CaseSetup, String> {
    let disk = Zram::new(DISK_MIB)?;
    let (path, number) = (disk.path(), disk.device_number()?);
    held.keep(disk);
    grouped(held, limit(&number), &format!("{} {line}", path.display()))
}

fn group_iops(_: &Bench<'_>, held: &mut GuardStack) -> Result<CaseSetup, String> {
    limited(held, |disk| Limit::ReadIops(disk, 6000), "--rw randread --bs 4k --jobs 2 --depth 16")
}

fn group_iops_low(_: &Bench<'_>, held: &mut GuardStack) -> Result<CaseSetup, String> {
    limited(held, |disk| Limit::ReadIops(disk, 800), "--rw randread --bs 16k --depth 32")
}

fn group_bytes(_: &Bench<'_>, held: &mut GuardStack) -> Result<CaseSetup, String> {
    limited(held, |disk| Limit::ReadBytes(disk, 60_000_000), "--rw read --bs 64k --depth 16")
}

fn group_write_bytes(bench: &Bench<'_>, held: &mut GuardStack) -> Result<CaseSetup, String> {
    let disk = counted_disk()?;
    let number = disk.device_number()?;
    let line = mounted(bench, held, disk, "ext4", "--rw write --bs 256k --depth 8")?;
    grouped(held, Limit::WriteBytes(&number, 40_000_000), &line)
}

fn volume_iops_told(_: &Bench<'_>, held: &mut GuardStack) -> Result<CaseSetup, String> {
    let (path, number) = disk(held)?;
    let line = format!("{path} --rw randread --bs 4k --depth 32 --ceiling iops=3000");
    grouped(held, Limit::ReadIops(&number, 3000), &line)
}

fn volume_bytes_told(_: &Bench<'_>, held: &mut GuardStack) -> Result<CaseSetup, String> {
    let (path, number) = disk(held)?;
    let line =
        format!("{path} --rw randread --bs 128k --depth 16 --ceiling iops=16k --ceiling throughput=80MB/s");
    grouped(held, Limit::ReadBytes(&number, 80_000_000), &line)
}

fn quota(_: &Bench<'_>, held: &mut GuardStack) -> Result<CaseSetup, String> {
    let disk = Zram::new(DISK_MIB)?;
    let path = disk.path();
    held.keep(disk);
    let line = format!("{} --rw randread --bs 4k --jobs 2 --depth 8", path.display());
    grouped(held, Limit::Cores(0.4), &line)
}

fn on_disk(held: &mut GuardStack, line: &str) -> Result<CaseSetup, String> {
    let disk = Zram::new(DISK_MIB)?;
    let path = disk.path();
    held.keep(disk);
    ready(&format!("{} {line}", path.display()))
}

fn one_core(_: &Bench<'_>, held: &mut GuardStack) -> Result<CaseSetup, String> {
    on_disk(held, "--rw randread --bs 4k --jobs 3 --depth 8 --cpus 0")
}

fn all_cores(_: &Bench<'_>, held: &mut GuardStack) -> Result<CaseSetup, String> {
    let jobs = std::thread::available_parallelism().map_or(2, usize::from);
    on_disk(held, &format!("--rw randread --bs 4k --jobs {jobs} --depth 8"))
}

/// A limit that another program uses up for about half of the time.
fn rival(bench: &Bench<'_>, held: &mut GuardStack) -> Result<CaseSetup, String> {
    let (path, number) = disk(held)?;
    let group = Group::new(Limit::ReadIops(&number, 4000))?;
    let groups = vec![group.members()];
    held.keep(group);
    held.keep(Rival::start(bench.fathom, &path, &groups, bench.folder)?);
    Ok(CaseSetup { groups, ..ready(&format!("{path} --rw randread --bs 4k --depth 16"))? })
}

/// A target of one thread that copies each block twice, out of its memory and into the network, which costs it more than its
/// host: a host with an agent beside the target.
fn target_core(bench: &Bench<'_>, held: &mut GuardStack) -> Result<CaseSetup, String> {
    let served = ServedTarget::start(bench.fathom, &["memory:256MiB", "--workers", "1"])?;
    let line = format!("run --target {} --rw randread --bs 64k --depth 16 --warmup 1s", served.target());
    held.keep(served);
    let mut ready = ready(&line)?;
    ready.arguments.extend(["--client", "a=local", "--client", "t=local role=target"].map(str::to_owned));
    Ok(ready)
}

fn delayed_disk(_: &Bench<'_>, held: &mut GuardStack) -> Result<CaseSetup, String> {
    on_disk(held, "--rw randread --bs 4k --depth 2 --delay lognormal:1ms/0.2")
}

fn rate_disk(_: &Bench<'_>, held: &mut GuardStack) -> Result<CaseSetup, String> {
    on_disk(held, "--rw randread --bs 4k --rate 3k --arrival poisson")
}

/// A disk for a file system: its counters are on, and it is many times the file, so that a file system that
/// copies on write has where to write.
fn counted_disk() -> Result<Zram, String> {
    let disk = Zram::new(4 * DISK_MIB)?;
    disk.count()?;
    Ok(disk)
}

/// A file system on a disk, and the line with a scratch folder there.
fn mounted(
    bench: &Bench<'_>,
    held: &mut GuardStack,
    disk: Zram,
    kind: &str,
    line: &str,
) -> Result<String, String> {
    let place = bench.folder.join("mounted");
    let mounted = MountGuard::new(kind, &disk.path(), &place)?;
    held.keep(disk);
    held.keep(mounted);
    Ok(format!("{} --size 96MiB {line}", place.display()))
}

fn ext4_durable(bench: &Bench<'_>, held: &mut GuardStack) -> Result<CaseSetup, String> {
    ready(&mounted(bench, held, counted_disk()?, "ext4", "--rw randwrite --bs 4k --depth 8 --durable all")?)
}

fn btrfs(bench: &Bench<'_>, held: &mut GuardStack) -> Result<CaseSetup, String> {
    ready(&mounted(bench, held, counted_disk()?, "btrfs", "--rw randwrite --bs 4k --depth 8 --durable data")?)
}
