//! A target's discovery log page, read by a host in pieces.

use fathom_spec::admin;
use fathom_spec::fabrics::discovery::{self, Entry, Header, PART_BYTES};
use fathom_spec::fabrics::{DISCOVERY_NAME, SubmissionEntry};

use super::association::Failure;

/// Entries that are read at most: no fabric has as many behind one address.
const MOST_ENTRIES: u64 = 4096;
/// Readings of the page until its generation stays the same.
const MOST_READINGS: u32 = 6;

/// One thing that can be connected to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiscoveryEntry {
    /// Name of the subsystem, or of a discovery service.
    pub subsystem: String,
    /// Whether it has namespaces, rather than being a discovery service.
    pub has_namespaces: bool,
    /// Transport: 3 is TCP.
    pub transport: u8,
    /// Address, as the target gives it, without what cannot be printed.
    pub address: String,
    /// Port; absent where the target gives none that is one.
    pub port: Option<u16>,
    /// Whether a secure channel is required.
    pub is_secured: bool,
}

/// Reads the page.
#[derive(Debug, Default)]
pub struct DiscoveryReader {
    generation: Option<u64>,
    entries: u64,
    found: Vec<DiscoveryEntry>,
    at: u64,
    readings: u32,
}

/// Bytes asked for at a time.
pub const PIECE_BYTES: u32 = PART_BYTES as u32;

impl DiscoveryReader {
    /// The next command, which returns [`PIECE_BYTES`]; none where the page was read.
    pub fn next_command(&self) -> Option<SubmissionEntry> {
        let offset = match self.generation {
            // The header comes first and last: if its generation stayed, the page did.
            None => 0,
            Some(_) if self.at < self.entries => (self.at + 1) * PART_BYTES as u64,
            Some(_) if self.at == self.entries => 0,
            Some(_) => return None,
        };
        let first = admin::log_page_dword10(discovery::LOG_IDENTIFIER, PIECE_BYTES);
        let words = [first, 0, offset as u32, (offset >> 32) as u32, 0, 0];
        Some(SubmissionEntry::new(admin::GET_LOG_PAGE, 0, words))
    }

    /// Takes what the last command returned.
    ///
    /// # Errors
    /// Where the page is not one, is too long, or does not stop changing.
    pub fn take(&mut self, piece: &[u8]) -> Result<(), Failure> {
        let fail = |cause: String| Failure { asked: "reading the discovery log page", cause };
        if self.generation.is_some() && self.at < self.entries {
            let entry = Entry::parse(piece).map_err(|error| fail(error.to_string()))?;
            self.found.extend(found(entry));
            self.at += 1;
            return Ok(());
        }
        let header = Header::parse(piece).map_err(|error| fail(error.to_string()))?;
        if self.generation == Some(header.genctr.get()) {
            self.at = self.entries + 1;
            return Ok(());
        }
        self.readings += 1;
        if self.readings > MOST_READINGS {
            return Err(fail("it changes whenever it is read".to_owned()));
        }
        if header.recfmt.get() != 0 {
            return Err(fail(format!("format {} of its entries is unknown", header.recfmt.get())));
        }
        if header.numrec.get() > MOST_ENTRIES {
            return Err(fail(format!("{} entries are more than anyone has", header.numrec.get())));
        }
        (self.generation, self.entries) = (Some(header.genctr.get()), header.numrec.get());
        (self.at, self.found) = (0, Vec::new());
        Ok(())
    }

    /// What was found.
    pub fn found(self) -> Vec<DiscoveryEntry> {
        self.found
    }
}

/// What an entry says; none where it has no name that can be read.
fn found(entry: &Entry) -> Option<DiscoveryEntry> {
    let subsystem = entry.subsystem()?.to_owned();
    Some(DiscoveryEntry {
        has_namespaces: entry.subtype == discovery::NVM && subsystem != DISCOVERY_NAME,
        subsystem,
        transport: entry.trtype,
        address: entry.address().to_string(),
        port: entry.port(),
        is_secured: entry.treq & 0b11 == discovery::SECURE_CHANNEL,
    })
}
