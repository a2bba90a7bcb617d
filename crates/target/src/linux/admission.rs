//! Lets a run have an existing target for writing: judged, taken alone, known to be empty or named, and looked at
//! again before each run.

use std::cell::Cell;
use std::fs::File;
use std::io;
use std::time::Duration;

use fathom_measure::{Clock, WallClock};

use super::content::Content;
use super::device_number::DeviceNumber;
use super::emptiness;
use super::inspect::{self, open_for_looking};
use super::ioctl;
use super::machine::{Machine, Node, Roots};
use super::origin;
use crate::Error;
use crate::guard::{self, FathomData, Findings, Hold, Permit, Reason};
use crate::signature::marks::{Mark, Places};
use crate::target_opening::OpenRequest;

/// How a target was admitted for writing.
#[derive(Debug)]
pub struct Admission {
    /// What is being done, for messages: `writing to /dev/sdb`.
    place: String,
    /// The words of `--destroy`.
    permit: Option<Permit>,
    /// What is judged and held alone for the length of the run, where that is not the file itself.
    claim: Option<File>,
    /// Devices whose signatures are looked for again; none for files.
    watched: Vec<MarkedDevice>,
    /// Size of the device, in bytes; none for files.
    size_bytes: Option<u64>,
    /// Whether it is a file that fathom made and nobody had changed.
    own: bool,
    /// Remarks for the run's record.
    pub notes: Vec<String>,
}

/// A device and the signatures that it had when it was admitted.
#[derive(Debug)]
struct MarkedDevice {
    label: String,
    file: File,
    size_bytes: u64,
    marks: Vec<Mark>,
}

/// How long what may be over in a moment is looked at again, how often at least, and how long each look waits.
const PATIENCE: Duration = Duration::from_secs(1);
const LEAST_LOOKS: u32 = 3;
const BETWEEN_LOOKS: Duration = Duration::from_millis(50);

/// Time that is left for another look. A limit on their number would not do: on a busy machine of many processes
/// one look alone takes seconds.
struct RetryBudget {
    clock: WallClock,
    done: Cell<u32>,
}

impl RetryBudget {
    fn begin() -> Self {
        Self { clock: WallClock::start_on_system_clock().0, done: Cell::new(0) }
    }

    /// Waits for the next look; false where the time is over.
    fn again(&self) -> bool {
        self.done.set(self.done.get() + 1);
        let is_time = self.done.get() < LEAST_LOOKS || u128::from(self.clock.now_ns()) < PATIENCE.as_nanos();
        if is_time {
            std::thread::sleep(BETWEEN_LOOKS);
        }
        is_time
    }
}

/// Opens a device for this process alone, and tries again for a while where that is taken: the kernel lets go of what
/// a killed process had claimed only when it has taken that one's rings apart.
///
/// # Errors
/// As the system reports them; `EBUSY` where somebody keeps the claim.
pub fn claim(open: impl Fn() -> io::Result<File>) -> io::Result<File> {
    let looks = RetryBudget::begin();
    loop {
        match open() {
            Err(error) if error.raw_os_error() == Some(libc::EBUSY) && looks.again() => {}
            outcome => return outcome,
        }
    }
}

/// Judges a target, and again while all that stands against it may be over in a moment: udev, `blkid` and
/// monitoring open devices to look at them. Returns the machine as it was judged on.
///
/// # Errors
/// As `look`, and as the guard gives its reasons.
pub fn judge(
    writing: &str,
    permit: Option<&Permit>,
    machine: impl Fn() -> Machine,
    look: impl Fn(&Machine) -> Result<Findings, Error>,
) -> Result<(Machine, Findings), Error> {
    let looks = RetryBudget::begin();
    loop {
        let machine = machine();
        let findings = look(&machine)?;
        let mut blocking =
            findings.reasons.iter().filter(|reason| !reason.hold.permission_covers()).peekable();
        let may_pass = blocking.peek().is_some() && blocking.all(|reason| reason.may_pass);
        if may_pass && looks.again() {
            continue;
        }
        guard::admit(writing, &findings.reasons, &findings.identity, permit)?;
        return Ok((machine, findings));
    }
}

impl Admission {
    /// Admits an open file: judged once more, on the descriptor that is written. `own` is whether fathom made it and
    /// nobody had changed it; by now the run may have.
    ///
    /// # Errors
    /// As the guard gives its reasons.
    pub fn of_file(
        writing: String,
        file: &File,
        request: &OpenRequest<'_>,
        own: bool,
    ) -> Result<Self, Error> {
        let look = |machine: &Machine| origin::hold(&writing, machine, file, request.origin);
        let (_, findings) = judge(&writing, request.permit, Machine::now, look)?;
        Ok(Self {
            place: writing,
            permit: request.permit.cloned(),
            claim: None,
            watched: Vec::new(),
            size_bytes: None,
            own,
            notes: unseen(&findings),
        })
    }

    /// Admits a device that nobody else can claim any more: judged once more, then known to be empty unless it is
    /// named. `looking` is another descriptor of it, past the page cache; `more` finds reasons beside the device's
    /// own.
    ///
    /// # Errors
    /// As the guard gives its reasons, and as reading all of it fails or is stopped.
    pub fn of_device(
        writing: String,
        claim: &File,
        looking: &File,
        request: &OpenRequest<'_>,
        more: impl Fn(&Machine) -> Vec<Reason>,
    ) -> Result<Self, Error> {
        let fail = |error: io::Error| Error::system(&writing, &error);
        let number = DeviceNumber::of_node(&looking.metadata().map_err(fail)?);
        let size_bytes = ioctl::block_size_bytes(looking).map_err(fail)?;
        // Taken down before it is judged: what comes after is new.
        let watched = MarkedDevice::all(&Machine::look_at_devices(&Roots::default()), number, looking)?;
        let look = |machine: &Machine| {
            let mut findings = origin::hold(&writing, machine, claim, request.origin)?;
            findings.reasons.extend(more(machine));
            Ok(findings)
        };
        let (machine, findings) = judge(&writing, request.permit, Machine::now, look)?;
        let mut notes = unseen(&findings);
        if machine.census.sight.first_closed {
            notes.push("What process 1 of this machine has open could not be seen.".to_owned());
        }
        notes.extend(emptiness::require(&writing, &machine, looking, &findings, request)?);
        let permit = request.permit.cloned();
        let size_bytes = Some(size_bytes);
        Ok(Self { place: writing, permit, claim: None, watched, size_bytes, own: false, notes })
    }

    /// The same, holding what was claimed for the length of the run.
    pub fn holding(self, claim: File) -> Self {
        Self { claim: Some(claim), ..self }
    }

    /// What is held in place of the target itself.
    pub fn claim(&self) -> Option<&File> {
        self.claim.as_ref()
    }

    /// Looks again whether anybody began to use the target or put something on it since it was admitted. Its other
    /// bytes may be the run's own by now.
    ///
    /// # Errors
    /// As the guard gives its reasons.
    pub fn confirm(&self, file: &File) -> Result<(), Error> {
        let judged = self.claim.as_ref().unwrap_or(file);
        let meta = judged.metadata().map_err(|error| Error::system(&self.place, &error))?;
        let look = |machine: &Machine| {
            let mut findings = inspect::hold_without_bytes(machine, judged, &meta)?;
            for watched in &self.watched {
                findings.reasons.extend(watched.appeared()?);
            }
            findings.reasons.extend(self.resized(judged));
            if self.own {
                guard::account_for(&mut findings.reasons, "", &FathomData::Own);
            }
            Ok(findings)
        };
        judge(&self.place, self.permit.as_ref(), Machine::at_a_glance, look).map(drop)
    }

    fn resized(&self, file: &File) -> Option<Reason> {
        let (before, now) = (self.size_bytes?, ioctl::block_size_bytes(file).unwrap_or(0));
        let text = || format!("its size changed from {before} to {now} bytes since this run was admitted");
        (before != now).then(|| Reason::new(Hold::Unknown, text()).first("start again"))
    }
}

/// What a permission covers and nobody could see, for the record.
fn unseen(findings: &Findings) -> Vec<String> {
    let hidden = findings.reasons.iter().filter(|reason| reason.hold == Hold::Unseen);
    hidden.map(|reason| format!("Written as permitted, although {}.", reason.text)).collect()
}

impl MarkedDevice {
    /// A device, and the disk around a partition: a member of a pool as a whole has the partition's bytes among its
    /// own.
    fn all(machine: &Machine, number: DeviceNumber, looking: &File) -> Result<Vec<Self>, Error> {
        let Some(node) = machine.node(number) else { return Ok(Vec::new()) };
        let own = looking.try_clone().map_err(|error| Error::system("opening a device again", &error))?;
        let mut watched = vec![Self::begin(machine, node, own)?];
        let disk = machine.disk_of(node);
        if disk.number != node.number
            && let Ok(opened) = open_for_looking(&machine.path(disk))
        {
            watched.push(Self::begin(machine, disk, opened)?);
        }
        Ok(watched)
    }

    fn begin(machine: &Machine, node: &Node, file: File) -> Result<Self, Error> {
        let size_bytes = ioctl::block_size_bytes(&file).unwrap_or(0);
        let marks = marks(&file, size_bytes)?;
        Ok(Self { label: machine.label(node), file, size_bytes, marks })
    }

    /// Signatures that were not there.
    fn appeared(&self) -> Result<Vec<Reason>, Error> {
        let now = marks(&self.file, self.size_bytes)?;
        let new = now.iter().filter(|mark| !self.marks.contains(mark));
        let reasons = new.map(|mark| {
            let text = format!(
                "{} holds: {} (signature at byte {}), which appeared since this run was admitted",
                self.label, mark.name, mark.offset_bytes
            );
            Reason::new(Hold::Appeared, text).first("find out which program writes to it, and start again")
        });
        Ok(reasons.collect())
    }
}

fn marks(file: &File, size_bytes: u64) -> Result<Vec<Mark>, Error> {
    /// More than what is read at once near the start of a device.
    const CHUNK_BYTES: usize = 256 << 10;
    let reader = || Content::in_chunks(file, 0, size_bytes, CHUNK_BYTES);
    Ok(Places::read(size_bytes, reader)?.marks())
}
