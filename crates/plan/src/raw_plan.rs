//! The keys of a plan: one list that is the plan file's keys, the command line's flags and the schema.

use std::marker::PhantomData;

use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};
use fathom_record::Fault;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

#[cfg(feature = "schema")]
use super::scalar_text::one_or_many_schema;
use super::scalar_text::{Text, one_or_many, write_one_or_many};
use super::{Client, engine_words};

/// What a plan file or a command line says, value by value and unread.
///
/// A field's name with hyphens is the key in TOML and, behind two hyphens, the flag. Its comment is the
/// flag's help and the schema's description; where those name engines they come from the list of them. An
/// absent field takes the default that its comment names.
#[derive(Args, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
#[cfg_attr(feature = "schema", schemars(title = "fathom run plan", deny_unknown_fields))]
pub struct RawPlan {
    /// What to measure: FILE, /dev/X, /dev/ngX (NVMe commands), nvme+tcp://HOST/NQN, null:, memory: or sim:NAME.
    /// Repeatable: each job then works on one of the targets, in turn.
    #[arg(long, value_name = "TARGET", allow_hyphen_values = true)]
    #[serde(
        deserialize_with = "one_or_many",
        serialize_with = "write_one_or_many",
        skip_serializing_if = "Option::is_none"
    )]
    #[cfg_attr(feature = "schema", schemars(schema_with = "one_or_many_schema"))]
    pub target: Option<Vec<String>>,

    /// Stripe over all targets (RAID-0) with this chunk size, e.g. 64k; needs two targets or more.
    /// Default: each job works on one target.
    #[arg(long, value_name = "SIZE")]
    pub stripe: Option<Text>,

    /// I/O engine, or another tool.
    #[arg(long, help = engine_words::engine(), value_name = "NAME")]
    #[cfg_attr(feature = "schema", schemars(description = described(engine_words::engine())))]
    pub engine: Option<Text>,

    /// What the I/Os do: read, write, rw, trim, trimwrite (one address after the other), or randread,
    /// randwrite, randrw, randtrim, randtrimwrite. With trimwrite each trim is followed by a write of what it
    /// trimmed. Default: randread.
    #[arg(long, value_name = "KIND")]
    pub rw: Option<Text>,

    /// Size of an I/O: 4k, a range 4k-64k or 4k-64k/4k (step), or a split 4k:70%,64k:30%. Default: 4k.
    #[arg(long, value_name = "SIZE")]
    pub bs: Option<Text>,

    /// Size of reads where it differs from --bs, e.g. 16k.
    #[arg(long, value_name = "SIZE")]
    pub read_bs: Option<Text>,

    /// Size of writes where it differs from --bs, e.g. 64k.
    #[arg(long, value_name = "SIZE")]
    pub write_bs: Option<Text>,

    /// Size of trims where it differs from --bs, e.g. 1m.
    #[arg(long, value_name = "SIZE")]
    pub trim_bs: Option<Text>,

    /// Share of reads with rw and randrw, e.g. 70%. Default: 50%.
    #[arg(long, value_name = "SHARE")]
    pub read_share: Option<Text>,

    /// Share of trims with rw and randrw, e.g. 5%; what is neither read nor trim is written. Default: 0%.
    #[arg(long, value_name = "SHARE")]
    pub trim_share: Option<Text>,

    /// Flush after every N writes of a job, e.g. 32. Default: 0, never.
    #[arg(long, value_name = "WRITES")]
    pub flush_every: Option<Text>,

    /// Which addresses. With randread and its kin: cycle (each block once, then again; the default),
    /// independent, zipf:0.99, pareto:0.2, normal:10%, hotspot:90%/10% (accesses/span),
    /// zoned:60%/10%,30%/20%,10%/70%. With read, write, rw, trim: sequential (each job in its own part;
    /// the default), interlocked (all jobs share one position), strided:64k, laps:step=4k,apart=1m,jumps=50%
    /// (each job over all of it).
    #[arg(long, value_name = "PATTERN")]
    pub addresses: Option<Text>,

    /// First byte of the target to use, e.g. 1GiB. Default: 0.
    #[arg(long, value_name = "SIZE")]
    pub offset: Option<Text>,

    /// Bytes of the target to use, e.g. 10GiB. Default: to its end.
    #[arg(long, value_name = "SIZE")]
    pub size: Option<Text>,

    /// Offsets are multiples of this, e.g. 4k; own: random ones of each direction's own smallest size, as in
    /// fio. Default: the smallest I/O size of all.
    #[arg(long, value_name = "SIZE")]
    pub align: Option<Text>,

    /// Share of written data that compresses away, e.g. 50%. Default: 0%.
    #[arg(long, value_name = "SHARE")]
    pub compressible: Option<Text>,

    /// Share of writes whose data repeats an earlier one's, e.g. 30%. Default: 0%.
    #[arg(long, value_name = "SHARE")]
    pub duplicate: Option<Text>,

    /// Check what is read: off, on-read (blocks written by fathom), at-end (everything written is read
    /// back too). Default: off.
    #[arg(long, value_name = "WHEN")]
    pub verify: Option<Text>,

    /// Start I/Os at this rate per second, e.g. 5k, whatever the target does. Default: the next starts
    /// when one ends. 100,50 is a rate for reads and one for writes; `,50` leaves reads without.
    #[arg(long, value_name = "RATE")]
    pub rate: Option<Text>,

    /// How a rate arrives: constant, poisson or ramp. Default: constant.
    #[arg(long, value_name = "PROCESS")]
    pub arrival: Option<Text>,

    /// Think time: let each job finish its I/Os, then pause this long, e.g. 3us. Default: no pauses.
    #[arg(long, value_name = "TIME")]
    pub pause: Option<Text>,

    /// I/Os of a job between two pauses, e.g. 8. Default: 1.
    #[arg(long, value_name = "NUMBER")]
    pub pause_every: Option<Text>,

    /// Start I/Os at rates that change from step to step, instead of --rate; a count behind * repeats one:
    /// 500,4k*3,0*2. After the last the first comes again.
    #[arg(long, value_name = "RATES")]
    pub rates: Option<Text>,

    /// Length of each step of --rates, e.g. 1s. Default: 1s.
    #[arg(long, value_name = "TIME")]
    pub rate_step: Option<Text>,

    /// Replay a trace of single I/Os, as blkparse prints it or as a table: its addresses, sizes and directions at
    /// its own times, whatever the target does. Needs the same permission to write as any run.
    #[arg(long, value_name = "TRACE")]
    pub replay: Option<Text>,

    /// With --replay: N times as fast as the trace, e.g. 2 or 0.5. Default: 1.
    #[arg(long, value_name = "FACTOR")]
    pub speed: Option<Text>,

    /// With --replay, what becomes of addresses beyond the target's end: wrap (they begin again at its start, and
    /// all others stay) or scale (all are multiplied so that the trace fills the target). Default: wrap.
    #[arg(long, value_name = "HOW")]
    pub replay_fit: Option<Text>,

    /// With --replay: the disk that is meant, of a trace of several.
    #[arg(long, value_name = "NAME")]
    pub replay_device: Option<Text>,

    /// With --replay: a table's columns, e.g. time=when,op=kind,offset=where,bytes=size. Default: the usual names,
    /// and published traces by their shape.
    #[arg(long, value_name = "NAMES")]
    pub replay_columns: Option<Text>,

    /// Rate that a ramp starts from, e.g. 1k; it ends at --rate.
    #[arg(long, value_name = "RATE")]
    pub ramp_from: Option<Text>,

    /// How long a ramp takes, e.g. 20s; the rate stays from then on.
    #[arg(long, value_name = "TIME")]
    pub ramp_over: Option<Text>,

    /// Independent submitters, one thread each. Default: 1, or one for each target.
    #[arg(long, value_name = "NUMBER")]
    pub jobs: Option<Text>,

    /// Queue depth.
    #[arg(long, help = engine_words::depth(), value_name = "NUMBER")]
    #[cfg_attr(feature = "schema", schemars(description = described(engine_words::depth())))]
    pub depth: Option<Text>,

    /// Measured time after the warm-up, e.g. 30s. Default: 30s, or no limit with --count, --bytes or --replay.
    #[arg(long, value_name = "TIME")]
    pub time: Option<Text>,

    /// End after N I/Os, warm-up included, e.g. 1M (k and M are decimal).
    #[arg(long, value_name = "NUMBER")]
    pub count: Option<Text>,

    /// End after this many bytes, warm-up included, e.g. 10GiB.
    #[arg(long, value_name = "SIZE")]
    pub bytes: Option<Text>,

    /// Time before the measurement starts, e.g. 5s. Default: 2s, or 0s when nothing but --count or --bytes
    /// ends the run.
    #[arg(long, value_name = "TIME")]
    pub warmup: Option<Text>,

    /// Seed of every random choice; the same seed replays the same I/Os. Default: a new one, recorded.
    #[arg(long, value_name = "NUMBER")]
    pub seed: Option<Text>,

    /// Go through the page cache.
    #[arg(long, help = engine_words::buffered(), value_name = "true|false", num_args = 0..=1, default_missing_value = "true",
          require_equals = true, hide_possible_values = true)]
    #[cfg_attr(feature = "schema", schemars(description = described(engine_words::buffered())))]
    pub buffered: Option<bool>,

    /// Allow destroying all data on the device with this serial number. Repeatable.
    #[arg(long, value_name = "SERIAL")]
    #[serde(
        deserialize_with = "one_or_many",
        serialize_with = "write_one_or_many",
        skip_serializing_if = "Option::is_none"
    )]
    #[cfg_attr(feature = "schema", schemars(schema_with = "one_or_many_schema"))]
    pub destroy: Option<Vec<String>>,

    /// Read all of a device before the first write where only that can show whether it is empty, however long it
    /// takes. Default: only where that takes 10 s or less; otherwise the device needs --destroy.
    #[arg(long, value_name = "true|false", num_args = 0..=1, default_missing_value = "true",
          require_equals = true, hide_possible_values = true)]
    pub check_empty: Option<bool>,

    /// Run a simulated device by the wall clock instead of as fast as it computes.
    #[arg(long, value_name = "true|false", num_args = 0..=1, default_missing_value = "true",
          require_equals = true, hide_possible_values = true)]
    pub real_time: Option<bool>,

    /// Poll for completions.
    #[arg(long, help = engine_words::polled(), value_name = "true|false", num_args = 0..=1, default_missing_value = "true",
          require_equals = true, hide_possible_values = true)]
    #[cfg_attr(feature = "schema", schemars(description = described(engine_words::polled())))]
    pub polled: Option<bool>,

    /// Watch the same I/Os in the kernel's block layer, and set both side by side: auto, bpf, tracefs or
    /// off. Costs CPU time; needs root. Default: off.
    #[arg(long, value_name = "SOURCE", num_args = 0..=1, default_missing_value = "auto", require_equals = true)]
    pub witness: Option<Text>,

    /// End writes only when they are durable: data (O_DSYNC), or all, with metadata (O_SYNC). Default:
    /// writes end when the device says so.
    #[arg(long, value_name = "WHAT")]
    pub durable: Option<Text>,

    /// Flags of single I/Os.
    #[arg(long, help = engine_words::io_flags(), value_name = "LIST")]
    #[cfg_attr(feature = "schema", schemars(description = described(engine_words::io_flags())))]
    pub io_flags: Option<Text>,

    /// Keep the scratch file that the run made.
    #[arg(long, value_name = "true|false", num_args = 0..=1, default_missing_value = "true",
          require_equals = true, hide_possible_values = true)]
    pub keep: Option<bool>,

    /// CPUs to bind the jobs to, in turn, e.g. 0-3,6; any: wherever the scheduler puts them. Default:
    /// near the device, each job on a hardware queue and a core of its own, if there are enough.
    #[arg(long, value_name = "LIST")]
    pub cpus: Option<Text>,

    /// Run from here at the same time as from every other client, and add up what all measured: local,
    /// ssh:HOST, kubectl:NAMESPACE/POD, srun:NODE, or 'exec:COMMAND fathom agent'; NAME=REACH gives it a name, and
    /// behind it stand program=, push=, role=, target= and destroy= of its own. Repeatable. fathom has to be there in the
    /// same version. Each client carries the whole plan: jobs, depth and rates are each one's; one of role=target is at
    /// the target's machine and measures nothing.
    #[arg(long, value_name = "REACH")]
    #[serde(
        deserialize_with = "one_or_many",
        serialize_with = "write_one_or_many",
        skip_serializing_if = "Option::is_none"
    )]
    #[cfg_attr(feature = "schema", schemars(schema_with = "one_or_many_schema"))]
    pub client: Option<Vec<String>>,

    /// Give each client a part of the target's addresses to itself. Two clients that would write the same bytes are
    /// refused without it.
    #[arg(long, value_name = "true|false", num_args = 0..=1, default_missing_value = "true",
          require_equals = true, hide_possible_values = true)]
    pub partition: Option<bool>,

    /// Hold each completion back for a drawn time, to see known latencies: constant:100us,
    /// uniform:50us-150us, exponential:100us, lognormal:100us/0.5 (median/sigma), bimodal:100us/1ms/1%;
    /// and stalls: constant:100us,stall-every=60s,stall-length=1s. Default: no delay.
    #[arg(long, value_name = "DISTRIBUTION")]
    pub delay: Option<Text>,

    /// Let I/Os through no faster than token buckets allow, e.g. iops=3000,throughput=125MB/s or
    /// iops=300,iops-bucket=5.4M,iops-peak=3000 (a burst). Default: no throttle.
    #[arg(long, value_name = "LIMITS")]
    pub throttle: Option<Text>,
}

impl RawPlan {
    /// The same without the permission to destroy data, which is given for one command alone.
    pub(super) fn without_permits(&self) -> Self {
        let client =
            |text: &String| Client::parse(text).map_or(text.clone(), |it| it.without_permits().to_string());
        let client = self.client.as_ref().map(|typed| typed.iter().map(client).collect());
        Self { destroy: None, check_empty: None, client, ..self.clone() }
    }

    /// What is given, by its key.
    pub fn values(&self) -> Map<String, Value> {
        let members = whole(self).as_object_mut().map(std::mem::take).unwrap_or_default();
        members.into_iter().filter(|(_, value)| !value.is_null()).collect()
    }

    /// A plan of these values.
    ///
    /// # Errors
    /// What a value is that its key does not take.
    pub fn of_values(values: Map<String, Value>) -> serde_json::Result<Self> {
        serde_json::from_value(Value::Object(values))
    }

    /// As it is kept in the record of a campaign, whose base it is: what lets a device be written holds for one command
    /// alone, and the seed has a place of its own.
    pub fn recorded(&self) -> Value {
        whole(&Self { seed: None, ..self.without_permits() })
    }
}

fn whole(raw: &RawPlan) -> Value {
    serde_json::to_value(raw).expect("a plan's values are all JSON values")
}

/// JSON Schema of a plan file, for completion in editors; `cargo xtask schema` writes it anew.
pub const PLAN_SCHEMA: &str = include_str!("../schema/plan.json");

/// As the other descriptions are, which are comments: with a full stop.
#[cfg(feature = "schema")]
fn described(help: String) -> String {
    help + "."
}

/// What the list above says now.
#[cfg(feature = "schema")]
pub fn derived_schema() -> Value {
    schemars::schema_for!(RawPlan).into()
}

/// The values that these flags give.
pub(super) fn from_words(words: &[String]) -> Result<RawPlan, Fault> {
    let command = RawPlan::augment_args(Command::new("plan").no_binary_name(true).disable_help_flag(true));
    let matches = command.try_get_matches_from(words).map_err(|error| first_line(&error))?;
    Ok(RawPlan::from_arg_matches(&matches).map_err(|error| first_line(&error))?)
}

fn first_line(error: &clap::Error) -> String {
    let text = error.to_string();
    text.lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned()
}

/// Every key of a plan, in the order of the list above.
pub fn keys() -> Vec<String> {
    let command = RawPlan::augment_args(Command::new("plan"));
    command.get_arguments().filter_map(|argument| argument.get_long().map(str::to_owned)).collect()
}

/// Which keys of a plan a command takes as flags that does not take all of them.
pub trait Keys {
    /// The keys, in the order in which help shows them.
    const KEYS: &'static [&'static str];

    /// The flag in the command's own words, where they differ.
    fn said(argument: Arg) -> Arg {
        argument
    }
}

/// Some keys of the list above as a command's flags.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlanFlags<K> {
    /// What is given of them.
    pub raw: RawPlan,
    keys: PhantomData<K>,
}

impl<K> From<RawPlan> for PlanFlags<K> {
    fn from(raw: RawPlan) -> Self {
        Self { raw, keys: PhantomData }
    }
}

impl<K: Keys> Args for PlanFlags<K> {
    fn augment_args(command: Command) -> Command {
        let all = RawPlan::augment_args(Command::new("plan"));
        let of_key =
            |key: &&str| all.get_arguments().find(|argument| argument.get_long() == Some(*key)).cloned();
        command.args(K::KEYS.iter().filter_map(of_key).map(K::said))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl<K: Keys> FromArgMatches for PlanFlags<K> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut values = Map::new();
        for key in K::KEYS {
            let id = key.replace('-', "_");
            let value = match (matches.try_get_one::<bool>(&id), matches.try_get_raw(&id)) {
                (Ok(Some(given)), _) => Value::Bool(*given),
                (_, Ok(Some(given))) => one_or_all(given.map(|text| text.to_string_lossy().into()).collect()),
                _ => continue,
            };
            values.insert((*key).to_owned(), value);
        }
        let raw = RawPlan::of_values(values)
            .map_err(|error| clap::Error::raw(clap::error::ErrorKind::InvalidValue, error))?;
        Ok(raw.into())
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// One text as such, and several as a list.
fn one_or_all(texts: Vec<Value>) -> Value {
    match <[Value; 1]>::try_from(texts) {
        Ok([only]) => only,
        Err(several) => several.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_keys_and_schema_are_the_same_names() {
        let schema: Value = serde_json::from_str(PLAN_SCHEMA).expect("JSON");
        let mut properties: Vec<String> =
            schema["properties"].as_object().expect("an object").keys().cloned().collect();
        let mut flags = keys();
        properties.sort();
        flags.sort();
        assert_eq!(properties, flags);
        assert_eq!(schema["additionalProperties"], false);
    }

    #[test]
    fn every_flag_says_what_it_takes() {
        for argument in RawPlan::augment_args(Command::new("plan")).get_arguments() {
            let help = argument.get_help().expect("help").to_string();
            assert!(help.len() > 20, "{help}");
        }
    }
}
