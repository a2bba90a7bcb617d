//! Agents that are killed, stopped or cut off from the network in the middle of a run: how long it takes until the run has
//! ended, and whether it names them.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Instant;

use super::network_namespace::Namespace;
use super::ssh_server::Server;
use super::{Bench, NOTICED_S, met, now, record, seconds_since, spread};

/// How an agent is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LossKind {
    Killed,
    Stopped,
    CutOff,
}

/// All ways; one that cannot be carried out here says why in its row.
pub fn measure(bench: &Bench<'_>) -> Result<Vec<String>, String> {
    let times = bench.options.times;
    // In equal parts; what is left over is cut off.
    let each = times / 3;
    let ways = [(LossKind::Killed, each), (LossKind::Stopped, each), (LossKind::CutOff, times - 2 * each)];
    Ok(ways.into_iter().map(|(how, times)| row(bench, how, times)).collect())
}

fn row(bench: &Bench<'_>, how: LossKind, times: usize) -> String {
    let what = match how {
        LossKind::Killed => "an agent that is killed (SIGKILL)",
        LossKind::Stopped => "an agent that is stopped (SIGSTOP)",
        LossKind::CutOff => "an agent behind ssh whose network is cut (link of its namespace down)",
    };
    let mut taken = Vec::new();
    let mut unnamed = Vec::new();
    let network = (how == LossKind::CutOff).then(|| Network::start(bench)).transpose();
    let network = match network {
        Ok(network) => network,
        Err(error) => return format!("| {what} | | not measured: {error} |"),
    };
    while taken.len() + unnamed.len() < times {
        let count = usize::from(bench.options.at_once).min(times - taken.len() - unnamed.len());
        match round(bench, how, count, network.as_ref()) {
            Ok(all) => {
                let (named, others): (Vec<LossResult>, Vec<LossResult>) =
                    all.into_iter().partition(LossResult::is_named);
                taken.extend(named.iter().map(|lost| lost.seconds));
                unnamed.extend(others);
            }
            Err(error) => return format!("| {what} | | not measured: {error} |"),
        }
    }
    let in_time = taken.iter().filter(|seconds| **seconds < NOTICED_S).count();
    let otherwise = unnamed.iter().map(|lost| format!("; after {:.2} s: {}", lost.seconds, lost.ending));
    format!(
        "| {what}: run ended and names it | within {NOTICED_S:.0} s, {times} of {times} | {in_time} of {times} ({}): {}{} |",
        spread(&taken, "s"),
        met(in_time == times),
        otherwise.collect::<String>()
    )
}

/// A server in a namespace of its own, and the link to it.
struct Network {
    namespace: Namespace,
    server: Server,
}

impl Network {
    fn start(bench: &Bench<'_>) -> Result<Self, String> {
        let namespace = Namespace::new()?;
        let folder = bench.folder.join("cut");
        let server = Server::start(&folder, namespace.address(), &namespace.enter())?;
        Ok(Self { namespace, server })
    }
}

struct LossResult {
    seconds: f64,
    /// How its record says that it ended.
    ending: String,
}

impl LossResult {
    fn is_named(&self) -> bool {
        self.ending.contains("client b") && self.ending.contains("failed")
    }
}

struct Run {
    child: Child,
    /// A line a second, and the record at the end.
    lines: BufReader<ChildStdout>,
    /// Where its second agent writes its number.
    number: std::path::PathBuf,
}

/// Some runs at once, each of which loses its client `b`.
fn round(
    bench: &Bench<'_>,
    how: LossKind,
    count: usize,
    network: Option<&Network>,
) -> Result<Vec<LossResult>, String> {
    let mut runs = (0..count).map(|at| start(bench, at, network)).collect::<Result<Vec<_>, _>>()?;
    runs.iter_mut().try_for_each(await_first_second)?;
    let mut begun = Vec::with_capacity(count);
    match (how, network) {
        (LossKind::CutOff, Some(network)) => {
            begun = vec![now(); count];
            network.namespace.link(false)?;
        }
        _ => {
            for run in &runs {
                let number = super::read(&run.number.display().to_string())?;
                begun.push(now());
                let signal = if how == LossKind::Killed { "-KILL" } else { "-STOP" };
                let sent = Command::new("kill").args([signal, number.trim()]).status();
                if !sent.is_ok_and(|status| status.success()) {
                    return Err(format!("no agent {} any more", number.trim()));
                }
            }
        }
    }
    let ended = ended(runs, &begun);
    if let Some(network) = network {
        network.namespace.link(true)?;
    }
    ended
}

fn start(bench: &Bench<'_>, at: usize, network: Option<&Network>) -> Result<Run, String> {
    let number = bench.folder.join(format!("agent-{at}"));
    let _ = std::fs::remove_file(&number);
    let program = bench.fathom.display();
    let lost = match network {
        Some(_) => format!("b=ssh:near program={program}"),
        None => format!("b=exec:sh -c 'echo $$ > {}; exec {program} agent'", number.display()),
    };
    let words =
        ["run", "--target", "null:", "--rate", "100", "--time", "60s", "--warmup", "0s", "--json-lines"];
    let mut command = bench.command(&words);
    command.args(["--client", "a=local", "--client", &lost]);
    if let Some(network) = network {
        command.env("PATH", network.server.path());
    }
    // A store of its own: a run that waits for another one's would end later.
    command.env("FATHOM_STORE", bench.folder.join(format!("runs-{at}.sqlite")));
    let child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
    let mut child = child.map_err(|error| error.to_string())?;
    let lines = child.stdout.take().map(BufReader::new).ok_or("a run without output")?;
    Ok(Run { child, lines, number })
}

/// Waits until all clients of a run measure: it has printed a second of their sum.
fn await_first_second(run: &mut Run) -> Result<(), String> {
    let mut line = String::new();
    run.lines.read_line(&mut line).map_err(|error| error.to_string())?;
    if line.contains("fathom.second") {
        Ok(())
    } else {
        Err(format!("a run that did not begin: {}", line.trim()))
    }
}

/// Waits for all, each on a thread of its own, so that one's end is seen when it comes.
fn ended(runs: Vec<Run>, begun: &[Instant]) -> Result<Vec<LossResult>, String> {
    let one = |mut run: Run, begun: Instant| -> Result<LossResult, String> {
        let last = run.lines.by_ref().lines().map_while(Result::ok).last().unwrap_or_default();
        let _ = run.child.wait();
        let seconds = seconds_since(begun);
        Ok(LossResult { seconds, ending: record(last.as_bytes(), &[])?["ending"].to_string() })
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> =
            runs.into_iter().zip(begun).map(|(run, begun)| scope.spawn(move || one(run, *begun))).collect();
        let panicked = |_| Err("a thread panicked".to_owned());
        threads.into_iter().map(|thread| thread.join().unwrap_or_else(panicked)).collect()
    })
}
