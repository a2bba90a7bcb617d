//! How an agent is reached: the command whose stdin and stdout it speaks on.

use std::ffi::OsString;
use std::path::Path;

use fathom_engine::EngineError;
use fathom_plan::AgentLocation;
use fathom_record::shell_word;

/// What is said to ssh: never ask, keep to the terminal-less channel, and notice a dead peer.
const SSH: [&str; 8] =
    ["-T", "-o", "BatchMode=yes", "-o", "ServerAliveInterval=5", "-o", "ServerAliveCountMax=3", "--"];

/// The command that starts the agent; `program` is fathom's name there.
///
/// # Errors
/// When this very program cannot be found.
pub fn command(reach: &AgentLocation, program: &str) -> Result<Vec<OsString>, EngineError> {
    let words = |before: &[&str]| -> Vec<OsString> {
        before.iter().copied().chain([program, "agent"]).map(OsString::from).collect()
    };
    Ok(match reach {
        AgentLocation::Local => {
            let failed = |error| EngineError::system("finding this program", &error);
            vec![std::env::current_exe().map_err(failed)?.into_os_string(), "agent".into()]
        }
        AgentLocation::Ssh(host) => {
            let before: Vec<&str> = ["ssh"].into_iter().chain(SSH).chain([host.as_str()]).collect();
            words(&before)
        }
        AgentLocation::Kubectl(namespace, pod) => {
            words(&["kubectl", "exec", "-i", "-n", namespace, pod, "--"])
        }
        AgentLocation::Srun(node) => words(&["srun", "-N1", "-n1", "-w", node, "--unbuffered"]),
        AgentLocation::Command(typed) => typed.iter().map(OsString::from).collect(),
    })
}

/// The command that runs these words at the other end, each as it is.
///
/// # Errors
/// As [`AgentLocation::words_before_agent`].
pub fn at_the_other_end(reach: &AgentLocation, words: &[&str]) -> Result<Vec<OsString>, EngineError> {
    let after = |before: &[&str]| -> Vec<OsString> {
        before.iter().chain(words).copied().map(OsString::from).collect()
    };
    // What ssh runs is a line for the shell there.
    let line = || words.iter().map(|word| shell_word(word)).collect::<Vec<_>>().join(" ");
    let before: Vec<&str> = reach.words_before_agent()?.iter().map(String::as_str).collect();
    Ok(match reach {
        AgentLocation::Ssh(host) => {
            let before = ["ssh"].into_iter().chain(SSH).chain([host.as_str()]).map(OsString::from);
            before.chain([line().into()]).collect()
        }
        AgentLocation::Kubectl(namespace, pod) => {
            after(&["kubectl", "exec", "-i", "-n", namespace, pod, "--"])
        }
        AgentLocation::Srun(node) => after(&["srun", "-N1", "-n1", "-w", node, "--unbuffered"]),
        // This machine is no other end.
        AgentLocation::Local | AgentLocation::Command(_) => {
            let is_ssh = |word: &&&str| Path::new(word).file_name().is_some_and(|name| name == "ssh");
            match before.iter().find(is_ssh) {
                Some(_) => before.iter().copied().map(OsString::from).chain([line().into()]).collect(),
                None => after(&before),
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_form_is_the_command_that_it_says() {
        for (typed, said) in [
            (
                "ssh:root@c1",
                "ssh -T -o BatchMode=yes -o ServerAliveInterval=5 -o ServerAliveCountMax=3 -- root@c1 fathom agent",
            ),
            ("kubectl:storage/f-0", "kubectl exec -i -n storage f-0 -- fathom agent"),
            ("srun:n7", "srun -N1 -n1 -w n7 --unbuffered fathom agent"),
            ("exec:docker exec -i x fathom agent", "docker exec -i x fathom agent"),
        ] {
            let words = command(&AgentLocation::parse(typed).unwrap(), "fathom").unwrap();
            let words: Vec<&str> = words.iter().filter_map(|word| word.to_str()).collect();
            assert_eq!(words.join(" "), said);
        }
    }

    #[test]
    fn other_words_run_in_the_agents_place() {
        for (typed, said) in [
            (
                "ssh:c1",
                r"ssh -T -o BatchMode=yes -o ServerAliveInterval=5 -o ServerAliveCountMax=3 -- c1 sh -c 'echo $1' a",
            ),
            ("kubectl:storage/f-0", "kubectl exec -i -n storage f-0 -- sh -c echo $1 a"),
            ("exec:docker exec -i x fathom agent", "docker exec -i x sh -c echo $1 a"),
            ("exec:/usr/bin/ssh -p 2222 c1 fathom agent", "/usr/bin/ssh -p 2222 c1 sh -c 'echo $1' a"),
        ] {
            let words =
                at_the_other_end(&AgentLocation::parse(typed).unwrap(), &["sh", "-c", "echo $1", "a"])
                    .unwrap();
            let words: Vec<&str> = words.iter().filter_map(|word| word.to_str()).collect();
            assert_eq!(words.join(" "), said);
        }
        for typed in ["local", "exec:fathom agent", "exec:sh -c 'exec fathom agent'"] {
            let refused = at_the_other_end(&AgentLocation::parse(typed).unwrap(), &["true"]).unwrap_err();
            assert_eq!(refused.place, "--push");
        }
    }
}
