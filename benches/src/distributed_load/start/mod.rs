//! How far apart two clients over ssh send their first command, against the bound on their starts that the record states.

mod receive_timestamp;
mod relay;

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use serde_json::Value;

use super::ssh_server::Server;
use super::{Bench, ChildGuard, met, record, spread};
use relay::Relay;

/// Runs two clients many times, each through a relay of its own.
pub fn measure(bench: &Bench<'_>) -> Result<Vec<String>, String> {
    let server = Server::start(&bench.folder.join("ssh"), "127.0.0.1", &[])?;
    let (_target, port, subsystem) = target(bench)?;
    let relays = [Relay::start(port)?, Relay::start(port)?];
    let times = bench.options.times;
    let (mut apart, mut bounds, mut within) = (Vec::new(), Vec::new(), 0);
    for _ in 0..times {
        let (apart_us, bound_us) = once(bench, &server, &relays, &subsystem)?;
        within += usize::from(apart_us <= bound_us);
        apart.push(apart_us);
        bounds.push(bound_us);
    }
    Ok(vec![
        format!(
            "| first commands of two clients over ssh on the loopback, as one kernel stamps them | not further apart than the \
             record's bound on their starts, {times} of {times} | {within} of {times}: {} |",
            met(within == times)
        ),
        format!("| the same: apart; what each took to begin is in it | | {} |", spread(&apart, "us")),
        format!("| the bound that their records state | | {} |", spread(&bounds, "us")),
    ])
}

/// A target of the program; its port and subsystem.
fn target(bench: &Bench<'_>) -> Result<(ChildGuard, u16, String), String> {
    let child = Command::new(bench.fathom)
        .args(["nvmet", "null:", "--listen", "127.0.0.1:0", "--json"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn();
    let mut held = ChildGuard(child.map_err(|error| error.to_string())?);
    let mut line = String::new();
    if let Some(stdout) = held.0.stdout.take() {
        // It prints one line when it is ready, and one at its end.
        let _ = BufReader::new(stdout).read_line(&mut line);
    }
    let ready: Value = serde_json::from_str(&line).map_err(|_| "fathom nvmet did not become ready")?;
    let port = ready["address"].as_str().and_then(|address| address.rsplit(':').next()?.parse().ok());
    let subsystem = ready["nqn"].as_str().unwrap_or_default().to_owned();
    Ok((held, port.ok_or("no address of fathom nvmet")?, subsystem))
}

/// One run: microseconds between the two first commands, and the record's bound.
fn once(
    bench: &Bench<'_>,
    server: &Server,
    relays: &[Relay; 2],
    subsystem: &str,
) -> Result<(f64, f64), String> {
    let words = ["run", "--rw", "randread", "--depth", "1", "--time", "500ms", "--warmup", "0s", "--json"];
    let target = |relay: &Relay| format!("nvme+tcp://127.0.0.1:{}/{subsystem}", relay.port);
    let mut command = bench.command(&[words.as_slice(), &["--target", &target(&relays[0])]].concat());
    for (number, relay) in relays.iter().enumerate() {
        let (program, target) = (bench.fathom.display(), target(relay));
        command.args(["--client", &format!("c{number}=ssh:near program={program} target={target}")]);
        relay.take();
    }
    let output = command.env("PATH", server.path()).output().map_err(|error| error.to_string())?;
    let record = record(&output.stdout, &output.stderr)?;
    let bound_ns = record["clients"]["start_bound_ns"].as_f64().ok_or("a record without a bound")?;
    let first = |relay: &Relay| relay.take().ok_or("a client that sent no command");
    let (one, other) = (first(&relays[0])?, first(&relays[1])?);
    Ok((one.abs_diff(other) as f64 / 1e3, bound_ns / 1e3))
}
