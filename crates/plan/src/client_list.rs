//! The clients that a plan names, together.

use std::collections::BTreeSet;

use fathom_record::Fault;
use fathom_record::options::{AgentLocation, Client, ClientRole, program_of};
use serde::Deserialize;

use super::error::{Mistake, PlanError, PlanErrorKind};
use super::raw_plan::RawPlan;

/// Clients of one run at most: each has a process and three threads where the plan is coordinated.
const CLIENTS_MAX: usize = 256;

/// The clients that a plan names.
///
/// # Errors
/// One that is none, or that does not go with the others.
pub fn clients(raw: &RawPlan) -> Result<Vec<Client>, Mistake> {
    let refuse = |cause| Mistake::new("client", PlanErrorKind::Value, cause);
    let typed = raw.client.as_deref().unwrap_or_default();
    let clients = typed.iter().map(|text| Client::parse(text)).collect::<Result<Vec<_>, _>>();
    let clients = clients.and_then(checked).map_err(refuse)?;
    let contradiction = |key, cause| Err(Mistake::new(key, PlanErrorKind::Contradiction, cause));
    if clients.is_empty() && raw.partition == Some(true) {
        return contradiction("partition", "there are no clients to share the addresses: add --client");
    }
    if !clients.is_empty() && raw.replay.is_some() {
        return contradiction(
            "client",
            "a trace is replayed by one machine: leave --replay or the clients out",
        );
    }
    Ok(clients)
}

fn checked(clients: Vec<Client>) -> Result<Vec<Client>, Fault> {
    if clients.len() > CLIENTS_MAX {
        return Err(Fault::from(format!("{} clients are too many: at most {CLIENTS_MAX}", clients.len())));
    }
    let mut names = BTreeSet::new();
    for Client { name, .. } in &clients {
        if name.is_empty() || name.len() > 64 || name.chars().any(char::is_control) {
            return Err(Fault::from(format!(
                "{name:?} is not a valid name of a client: use 1 to 64 letters"
            )));
        }
        if !names.insert(name.as_str()) {
            return Err(Fault::from(format!(
                "two clients are called `{name}`: name them, e.g. a=local and b=local"
            )));
        }
    }
    clients.iter().try_for_each(fitting)?;
    let (load, target): (Vec<&Client>, Vec<&Client>) =
        clients.iter().partition(|client| client.role == ClientRole::Load);
    match (load.as_slice(), target.as_slice()) {
        ([], [only, ..]) => Err(Fault::from(format!(
            "client {} has the role `target` and measures nothing, and no other client measures: add a client that does, \
             e.g. --client local",
            only.name
        ))),
        (_, [one, other, ..]) => Err(Fault::from(format!(
            "clients {} and {} both have the role `target`: one machine serves the target",
            one.name, other.name
        ))),
        _ => Ok(clients),
    }
}

/// Refuses what contradicts itself in one client.
fn fitting(client: &Client) -> Result<(), Fault> {
    let Client { name, permits, .. } = client;
    if client.role == ClientRole::Target && !permits.is_empty() {
        return Err(Fault::from(format!(
            "client {name} has the role `target` and writes nothing: leave destroy= out, or role=target"
        )));
    }
    match &client.reach {
        _ if !client.push => Ok(()),
        _ if client.has_program() => Err(Fault::from(format!(
            "client {name} has a program of its own, and this one is to be copied there: leave program= or push= out"
        ))),
        AgentLocation::Local => Err(Fault::from(format!(
            "client {name} is this machine, which has this program: leave push= out"
        ))),
        _ => Ok(()),
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    client: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    name: Option<String>,
    reach: String,
    program: Option<String>,
    #[serde(default)]
    role: ClientRole,
    #[serde(default)]
    push: bool,
    #[serde(default)]
    targets: Vec<String>,
    #[serde(default)]
    destroy: Vec<String>,
}

/// The clients of a file, each as it would be typed.
///
/// # Errors
/// Where the text is no list of clients: the file, the line where one is to blame, what is wrong, and what to write.
pub fn clients_of_file(text: &str, file: &str) -> Result<Vec<String>, PlanError> {
    let refuse = |place: String, fault: Fault| {
        fault.at(PlanErrorKind::Value, place).with_remedy("docs/clients.md shows such a file")
    };
    let read: File = fathom_toml::read(text).map_err(|fathom_toml::Mistake { line, fault }| {
        let cause = fault.cause.trim().replace('\n', ", ");
        let form = "each client is a table [[client]] with reach = \"ssh:HOST\", and where they differ name, \
                    program, push, role, targets and destroy";
        refuse(format!("{file}, line {line}"), format!("{cause}: {form}").into())
    })?;
    let client = |entry: Entry| {
        let mut client = Client::at(entry.name.as_deref(), AgentLocation::parse(&entry.reach)?);
        (client.targets, client.permits) = (entry.targets, entry.destroy);
        (client.role, client.push) = (entry.role, entry.push);
        client.program = entry.program.as_deref().map_or(Ok(client.program), program_of)?;
        Ok(client)
    };
    let clients = read.client.into_iter().map(client).collect::<Result<Vec<_>, Fault>>();
    let clients = clients.and_then(checked).map_err(|cause| refuse(file.to_owned(), cause))?;
    if clients.is_empty() {
        return Err(refuse(file.to_owned(), "required table missing: [[client]]".into()));
    }
    Ok(clients.iter().map(ToString::to_string).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_machine_serves_the_target_and_others_measure() {
        let refusal = |typed: &[&str]| {
            let clients = typed.iter().map(|text| Client::parse(text).unwrap()).collect();
            checked(clients).map(|clients| clients.len())
        };
        assert_eq!(refusal(&["ssh:c1", "ssh:t1 role=target target=/dev/sda"]), Ok(2));
        for (typed, says) in [
            (&["ssh:t1 role=target"][..], "no other client measures"),
            (&["local", "ssh:t1 role=target", "ssh:t2 role=target"], "t1 and t2 both have the role"),
            (&["local", "ssh:t1 role=target destroy=S1"], "writes nothing"),
            (&["local push=true"], "is this machine"),
            (&["ssh:c1 program=/opt/fathom push=true"], "has a program of its own"),
        ] {
            let said = refusal(typed).unwrap_err();
            assert!(said.cause.contains(says), "{typed:?}: {said}");
        }
    }

    #[test]
    fn a_file_is_read_as_what_would_be_typed() {
        let text = "[[client]]\nreach = 'ssh:c1'\nprogram = '/opt/fathom'\ntargets = ['/dev/nvme1n1']\n\n[[client]]\nname = 'here'\nreach = 'local'\n";
        let typed = clients_of_file(text, "clients.toml").unwrap();
        assert_eq!(typed, ["ssh:c1 program=/opt/fathom target=/dev/nvme1n1", "here=local"]);
        let refused = |text: &str| clients_of_file(text, "clients.toml").unwrap_err();
        let odd = refused("[[client]]\nreach = 'local'\nspeed = 1\n");
        assert_eq!(odd.place, "clients.toml, line 3");
        assert!(odd.cause.contains("[[client]]"), "{odd}");
        let twice = "[[client]]\nreach = 'local'\n\n[[client]]\nreach = 'local'\n";
        assert!(refused(twice).cause.contains("a=local"));
        let target =
            "[[client]]\nreach = 'local'\n\n[[client]]\nreach = 'ssh:t1'\nrole = 'target'\npush = true\n";
        assert_eq!(
            clients_of_file(target, "clients.toml").unwrap(),
            ["local=local", "ssh:t1 push=true role=target"]
        );
        assert!(clients_of_file("client = []", "clients.toml").is_err());
        assert!(clients_of_file("[[client]]\nreach = 'local'\nprogram = '-x'\n", "clients.toml").is_err());
    }
}
