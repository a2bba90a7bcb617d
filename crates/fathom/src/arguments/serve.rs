//! What can be typed to serve saved runs as a page.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::Args;

use super::Switch;

/// Arguments of `serve`.
#[derive(Args, Debug)]
pub struct ServeArguments {
    /// Port on 127.0.0.1; 0 is any free one. Default: 8427, or any free one if that is taken.
    #[arg(long, value_name = "NUMBER", conflicts_with = "listen")]
    pub port: Option<u16>,
    /// Listen at another address of this machine, e.g. 10.0.0.5:8427. Required with it, unless it is a loopback address:
    /// --token-file. The server has no TLS: put a proxy with TLS in front.
    #[arg(long, value_name = "ADDRESS:PORT")]
    pub listen: Option<SocketAddr>,
    /// Take the token from this file, 32 or more letters and digits. Default: a new one at each start.
    #[arg(long, value_name = "FILE")]
    pub token_file: Option<PathBuf>,
    /// Let tags, notes, marks, baselines and findings be changed on the page. Without it stores are opened for reading.
    #[arg(long)]
    pub edit: bool,
    /// Show the rows of a fleet too, which `fathom size --fleet TABLE --rows FILE.parquet` wrote. May be given more than
    /// once.
    #[arg(long, value_name = "FILE")]
    pub fleet: Vec<PathBuf>,
    /// How to print.
    #[command(flatten)]
    pub switch: Switch,
}

pub const SERVE_EXAMPLES: &str = "\
Examples:
  fathom serve                                     the address that it prints shows every saved run in a browser
  fathom serve --store a.sqlite --store b.sqlite
  fathom serve --edit                              tags, notes, marks and baselines can be changed there
  fathom serve --fleet verdicts.parquet            a hundred thousand volumes to sort and search
  fathom serve --listen 10.0.0.5:8427 --token-file token.txt       for a proxy with TLS on another machine

Stores are opened for reading, but with --edit. Only who has the printed address gets in: other users of this machine do not.";
