//! What can be typed of several clients as one run.

use std::path::PathBuf;

use clap::Args;

pub const AGENT_EXAMPLES: &str = "\
Examples:
  fathom run --target data.bin --client local --client ssh:c1      starts one here and one on c1
  fathom run --target data.bin --client 'exec:docker exec -i db fathom agent'
  fathom compare ssh:a:/mnt/x ssh:b:/mnt/x                         one test on two machines

It listens on nothing: what reaches it, as ssh, is its only peer. It ends when its input ends.";

/// A file of clients, in place of naming them one by one, and how this program comes to them.
#[derive(Args, Debug)]
pub struct ClientsFile {
    /// As --client, from a file: a table [[client]] for each, with reach, and where they differ name, program, push, role,
    /// targets and destroy.
    #[arg(long, value_name = "FILE.toml", conflicts_with = "client")]
    pub clients: Option<PathBuf>,

    /// Copy this very program to each client on another machine, through what reaches it; it is started there once both
    /// ends have the same SHA-256 of it, and no file of it stays. Default: fathom is there.
    #[arg(long)]
    pub push: bool,
}

pub const AGENTS_EXAMPLES: &str = "\
Examples:
  fathom agents --kubernetes 4 --image registry/fathom:1.0 --clients-out clients.toml | kubectl apply -f -
  fathom run --target /mnt/data/test.bin --size 1GiB --clients clients.toml
  fathom agents --kubernetes 4 --image registry/fathom:1.0 | kubectl delete -f -

It prints the manifest and starts nothing. Pods wait; agents are started in them by kubectl exec.";

/// Arguments of `agents`.
#[derive(Args, Debug)]
pub struct AgentsArguments {
    /// Print a manifest for Kubernetes: a StatefulSet of N pods in which agents can be started.
    #[arg(long, value_name = "N", required = true)]
    pub kubernetes: u32,

    /// Image of fathom, e.g. registry/fathom:1.0.
    #[arg(long, value_name = "IMAGE", required = true)]
    pub image: String,

    /// Volume claim that is mounted at /mnt/data in every pod; one that several nodes may mount.
    #[arg(long, value_name = "CLAIM")]
    pub pvc: Option<String>,

    /// Name of the StatefulSet, of which the pods' names are made.
    #[arg(long, value_name = "NAME", default_value = "fathom-agents")]
    pub stateful_set: String,

    /// Namespace that they are in.
    #[arg(long, value_name = "NAMESPACE", default_value = "default")]
    pub namespace: String,

    /// Write the file for --clients here; without it its lines stand in the manifest as a comment.
    #[arg(long, value_name = "FILE.toml")]
    pub clients_out: Option<PathBuf>,
}
