//! One job with its options, in the order in which they were given, and with variables put in.

use crate::{Fault, Refusal};

use super::jobfile::Assignment;
use super::option_tables::{self, OptionRow};
use super::value::{self, KiloBase};

/// An option of a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobOption {
    /// Which.
    pub row: &'static OptionRow,
    /// Its value with variables put in; none where the name stands alone.
    pub value: Option<String>,
    /// Where it was given.
    pub place: String,
    /// Variables in it that are not set, and stand for nothing.
    pub unset: Vec<String>,
}

impl JobOption {
    /// The value, or nothing.
    pub fn text(&self) -> &str {
        self.value.as_deref().unwrap_or_default()
    }

    /// Whether it changes something: its value is none of those that do not.
    pub fn matters(&self) -> bool {
        let value = self.text().trim_matches('"');
        !(self.value.is_some() && self.row.neutral.contains(&value))
    }

    /// A refusal of its value.
    pub fn refuse(&self, fault: impl Into<Fault>) -> Refusal {
        let at = if self.place.is_empty() { String::new() } else { format!("{}, ", self.place) };
        fault.into().of("fio job").at(format!("{at}{}", self.row.name))
    }
}

/// A job as fio knows it: a section of a file, or `--name` on the command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job {
    /// Its name: of its section, or what `name` makes of it.
    pub name: String,
    /// Its options, defaults first.
    pub options: Vec<JobOption>,
    /// How many of them are defaults of all jobs.
    pub defaults: usize,
    /// Whether it waits for all jobs before it although it does not say so: the first of a further file.
    pub after_file: bool,
}

impl Job {
    /// The last one given of an option; `name` is its first name.
    pub fn last(&self, name: &str) -> Option<&JobOption> {
        self.options.iter().rev().find(|given| given.row.name == name)
    }

    /// Where the last one of an option stands among all; later ones win over earlier ones.
    pub fn rank(&self, name: &str) -> Option<usize> {
        self.options.iter().rposition(|given| given.row.name == name)
    }

    /// The text of an option.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.last(name).map(JobOption::text)
    }

    /// Whether a flag or a yes-or-no is set.
    ///
    /// # Errors
    /// When its value is neither.
    pub fn flag(&self, name: &str, default: bool) -> Result<bool, Refusal> {
        let Some(given) = self.last(name) else { return Ok(default) };
        value::boolean(given.value.as_deref()).map_err(|fault| given.refuse(fault))
    }

    /// A whole number.
    ///
    /// # Errors
    /// When it is none.
    pub fn int(&self, name: &str) -> Result<Option<u64>, Refusal> {
        self.read(name, value::int)
    }

    /// A time in nanoseconds, whose bare number is seconds.
    ///
    /// # Errors
    /// When it is none.
    pub fn seconds_ns(&self, name: &str) -> Result<Option<u64>, Refusal> {
        self.read(name, |text| value::time_ns(text, true))
    }

    /// A value by its grammar.
    ///
    /// # Errors
    /// What the grammar says.
    pub fn read<T>(
        &self,
        name: &str,
        read: impl FnOnce(&str) -> Result<T, Fault>,
    ) -> Result<Option<T>, Refusal> {
        let Some(given) = self.last(name) else { return Ok(None) };
        read(given.text()).map(Some).map_err(|fault| given.refuse(fault))
    }

    /// What a bare `k` is.
    ///
    /// # Errors
    /// When it is neither 1024 nor 1000.
    pub fn kilo_base(&self) -> Result<KiloBase, Refusal> {
        let base = self.read("kb_base", |text| match text {
            "1024" => Ok(KiloBase::Binary),
            "1000" => Ok(KiloBase::Decimal),
            other => Err(format!("`{other}` is neither 1024 nor 1000").into()),
        });
        Ok(base?.unwrap_or_default())
    }
}

/// What variables stand for.
pub struct Variables<'a> {
    /// A variable of the environment.
    pub environment: &'a dyn Fn(&str) -> Option<String>,
    /// `$ncpus`.
    pub processors: u64,
    /// `$pagesize`, in bytes.
    pub page_bytes: u64,
    /// `$mb_memory`, in MiB.
    pub memory_mib: u64,
}

/// An option by its name, with variables put in.
///
/// # Errors
/// When there is no such option, or a variable is not set.
pub fn option_of(assignment: &Assignment, variables: &Variables<'_>) -> Result<JobOption, Refusal> {
    let place = assignment.place.clone();
    let words = [Some(assignment.key.as_str()), assignment.value.as_deref()];
    if let Some(word) = words.into_iter().flatten().find(|word| is_of_template(word)) {
        let cause = format!("`{word}` looks like a part of a template, which no tool has filled in");
        return Err(Refusal::new("fio job", cause)
            .at(place)
            .or("fill the template in first, and give the result"));
    }
    let Some(row) = option_tables::option(&assignment.key) else {
        let refusal = Refusal::new("fio job", format!("fio has no option `{}`", assignment.key)).at(place);
        return Err(match option_tables::nearest(&assignment.key) {
            _ if super::cmdline::is_global(&assignment.key) => {
                refusal.or("it belongs on the command line, not to a job")
            }
            Some(near) => refusal.or(format!("did you mean `{near}`?")),
            None => refusal.or("`fio --cmdhelp=all` lists what there is"),
        });
    };
    let mut given = JobOption { row, value: None, place, unset: Vec::new() };
    if let Some(value) = &assignment.value {
        let (text, unset) = with_environment(value, variables).map_err(|fault| given.refuse(fault))?;
        if let (Some(name), true) = (unset.first(), text.is_empty() && !may_be_empty(row.name)) {
            let cause = format!("the variable {name} is not set, which leaves no value");
            return Err(given.refuse(cause).or(format!("set it: {name}=VALUE fathom fio ...")));
        }
        given.value = Some(with_keywords(&text, variables));
        given.unset = unset;
    }
    Ok(given)
}

/// Whether fio takes the option with an empty value: a log then has its job's name.
fn may_be_empty(name: &str) -> bool {
    name.starts_with("write_") && name.ends_with("_log")
}

/// Whether text is left to be filled in: marks of Jinja, Go, Mustache or ERB in it, or all of it a name between `@`
/// or angle brackets.
fn is_of_template(text: &str) -> bool {
    let has = |open: &str, close: &str| {
        text.find(open).is_some_and(|at| text.get(at..).is_some_and(|rest| rest.contains(close)))
    };
    let is_name = |inside: Option<&str>| {
        inside.is_some_and(|name| {
            !name.is_empty()
                && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'))
        })
    };
    let between = |open: char, close: char| text.strip_prefix(open).and_then(|rest| rest.strip_suffix(close));
    has("{{", "}}")
        || has("{%", "%}")
        || has("<%", "%>")
        || is_name(between('@', '@'))
        || is_name(between('<', '>'))
}

/// Puts variables of the environment in for `${NAME}`, and nothing for those that are not set: as fio has it. The
/// text, and the names of those.
fn with_environment(text: &str, variables: &Variables<'_>) -> Result<(String, Vec<String>), Fault> {
    const LONGEST: usize = 1 << 16;
    let mut made = String::new();
    let mut unset = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find("${") {
        let Some(length) = rest[start..].find('}') else { break };
        let name = &rest[start + 2..start + length];
        made.push_str(&rest[..start]);
        match (variables.environment)(name) {
            Some(value) => made.push_str(&value),
            None => unset.push(name.to_owned()),
        }
        rest = &rest[start + length + 1..];
        if made.len() > LONGEST {
            return Err("its value is too long".into());
        }
    }
    made.push_str(rest);
    Ok((made, unset))
}

/// Puts the machine's numbers in for fio's keywords, and computes what then is arithmetic.
fn with_keywords(text: &str, variables: &Variables<'_>) -> String {
    let words = [
        ("$pagesize", variables.page_bytes),
        ("$mb_memory", variables.memory_mib),
        ("$ncpus", variables.processors),
    ];
    if !words.iter().any(|(word, _)| text.contains(word)) {
        return text.to_owned();
    }
    let put = |text: String, (word, value): &(&str, u64)| text.replace(word, &value.to_string());
    let text = words.iter().fold(text.to_owned(), put);
    let units = value::Units::None;
    match value::evaluate(&text, KiloBase::Binary, units) {
        Ok(value) if text.contains(['+', '-', '*', '/']) => value.to_string(),
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variables() -> Variables<'static> {
        Variables {
            environment: &|name| (name == "BS").then(|| "4k".to_owned()),
            processors: 8,
            page_bytes: 4096,
            memory_mib: 1024,
        }
    }

    fn value_of(text: &str) -> Result<String, Refusal> {
        let assignment = Assignment { key: "size".into(), value: Some(text.into()), place: String::new() };
        option_of(&assignment, &variables()).map(|given| given.value.unwrap_or_default())
    }

    #[test]
    fn what_is_left_to_be_filled_in_is_a_template() {
        let of = |key: &str, value: &str| {
            let value = Some(value.to_owned()).filter(|value| !value.is_empty());
            option_of(
                &Assignment { key: key.to_owned(), value, place: "job.fio, line 3".to_owned() },
                &variables(),
            )
        };
        for (key, value) in [
            ("{%- if runtime > 0 %}", ""),
            ("@RAMPTIME@", ""),
            ("runtime", "@RUNTIME@"),
            ("bs", "{{ .Values.bs }}"),
            ("size", "<SIZE>"),
        ] {
            let refusal = of(key, value).unwrap_err();
            assert!(refusal.cause.contains("template") && refusal.place == "job.fio, line 3", "{refusal}");
        }
        assert!(of("filename", "/mnt/a@b@c").is_ok() && of("bs", "${BS}").is_ok());
    }

    #[test]
    fn variables_are_put_in() {
        assert_eq!(value_of("${BS}").as_deref(), Ok("4k"));
        assert_eq!(value_of("x${BS}y${BS}").as_deref(), Ok("x4ky4k"));
        assert_eq!(value_of("${BS").as_deref(), Ok("${BS"));
        assert_eq!(value_of("128*$ncpus").as_deref(), Ok("1024"));
        assert_eq!(value_of("$pagesize").as_deref(), Ok("4096"));
        assert_eq!(value_of("x${NONE}${BS}").as_deref(), Ok("x4k"), "nothing, as in fio");
        let refusal = value_of("${NONE}").unwrap_err();
        assert!(refusal.cause.contains("variable NONE is not set"), "{refusal}");
        let log =
            Assignment { key: "write_bw_log".into(), value: Some("${NONE}".into()), place: String::new() };
        assert_eq!(option_of(&log, &variables()).map(|given| given.unset), Ok(vec!["NONE".to_owned()]));
    }

    #[test]
    fn an_option_that_is_none_names_a_near_one() {
        let assignment = Assignment { key: "ramptime".into(), value: None, place: "a.fio, line 3".into() };
        let refusal = option_of(&assignment, &variables()).unwrap_err();
        assert_eq!(refusal.place, "a.fio, line 3");
        assert!(refusal.remedy.contains("ramp_time"), "{refusal}");
        let assignment = Assignment { key: "output-format".into(), ..assignment };
        assert!(option_of(&assignment, &variables()).unwrap_err().remedy.contains("command line"));
    }

    #[test]
    fn the_last_one_given_wins() {
        let give = |key: &str, value: &str| {
            option_of(
                &Assignment { key: key.into(), value: Some(value.into()), place: String::new() },
                &variables(),
            )
            .expect("an option")
        };
        let options = vec![give("bs", "4k"), give("blocksize", "8k"), give("direct", "1")];
        let job = Job { name: "a".into(), options, defaults: 0, after_file: false };
        assert_eq!(job.text("bs"), Some("8k"));
        assert!(job.rank("direct") > job.rank("bs"));
        assert_eq!(job.flag("direct", false), Ok(true));
    }
}
