//! How an agent is reached: the command whose stdin and stdout it speaks on.

use std::ffi::OsString;

use fathom_engine::EngineError;
use fathom_plan::Reach;

/// What is said to ssh: never ask, keep to the terminal-less channel, and notice a dead peer.
const SSH: [&str; 8] =
    ["-T", "-o", "BatchMode=yes", "-o", "ServerAliveInterval=5", "-o", "ServerAliveCountMax=3", "--"];

/// The command that starts the agent; `program` is fathom's name there.
///
/// # Errors
/// When this very program cannot be found.
pub fn command(reach: &Reach, program: &str) -> Result<Vec<OsString>, EngineError> {
    let words = |before: &[&str]| -> Vec<OsString> {
        before.iter().copied().chain([program, "agent"]).map(OsString::from).collect()
    };
    Ok(match reach {
        Reach::Local => {
            let failed = |error| EngineError::system("finding this program", &error);
            vec![std::env::current_exe().map_err(failed)?.into_os_string(), "agent".into()]
        }
        Reach::Ssh(host) => {
            let before: Vec<&str> = ["ssh"].into_iter().chain(SSH).chain([host.as_str()]).collect();
            words(&before)
        }
        Reach::Kubectl(namespace, pod) => words(&["kubectl", "exec", "-i", "-n", namespace, pod, "--"]),
        Reach::Srun(node) => words(&["srun", "-N1", "-n1", "-w", node, "--unbuffered"]),
        Reach::Command(typed) => typed.iter().map(OsString::from).collect(),
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
            let words = command(&Reach::parse(typed).unwrap(), "fathom").unwrap();
            let words: Vec<&str> = words.iter().filter_map(|word| word.to_str()).collect();
            assert_eq!(words.join(" "), said);
        }
    }
}
