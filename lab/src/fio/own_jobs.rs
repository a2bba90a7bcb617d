//! The lab's own jobs, from the tables beside this file.

use super::shared_job::{Job, Pace};

/// One idea of fio a table.
const TABLES: [(&str, &str); 6] = [
    ("addresses", include_str!("jobs/addresses.toml")),
    ("sizes", include_str!("jobs/sizes.toml")),
    ("flushes", include_str!("jobs/flushes.toml")),
    ("rates", include_str!("jobs/rates.toml")),
    ("contents", include_str!("jobs/contents.toml")),
    ("shapes", include_str!("jobs/shapes.toml")),
];

/// All of them.
///
/// # Errors
/// Names the table that cannot be read.
pub fn all() -> Result<Vec<Job>, String> {
    let mut jobs = Vec::new();
    for (name, text) in TABLES {
        let table: toml::Table =
            toml::from_str(text).map_err(|error| format!("jobs/{name}.toml: {error}"))?;
        let common = table.get("common").and_then(toml::Value::as_str).unwrap_or_default();
        let listed = table.get("job").and_then(toml::Value::as_array).into_iter().flatten();
        for value in listed {
            jobs.push(job(value, common).ok_or_else(|| format!("jobs/{name}.toml: {value}"))?);
        }
    }
    Ok(jobs)
}

/// A job of a table, whose lines stand behind those that the table has for all.
fn job(value: &toml::Value, common: &str) -> Option<Job> {
    let strings = |key: &str| -> Vec<&str> {
        let values = value.get(key).and_then(toml::Value::as_array);
        values.into_iter().flatten().filter_map(toml::Value::as_str).collect()
    };
    let text = format!("{common}{}", value.get("text")?.as_str()?);
    let files = strings("files").into_iter().map(|file| {
        let (name, kib) = file.split_once(' ')?;
        Some((name.to_owned(), kib.parse::<u64>().ok()? << 10))
    });
    let pace = match value.get("pace").and_then(toml::Value::as_str) {
        Some("sized") => Pace::Sized,
        Some("timed") => Pace::Timed,
        Some("rated") => Pace::Rated,
        Some(_) => return None,
        None => Job::pace_of(&text),
    };
    Some(Job {
        name: value.get("name")?.as_str()?.to_owned(),
        arguments: strings("arguments").into_iter().map(str::to_owned).collect(),
        files: files.collect::<Option<_>>()?,
        pace,
        text,
        origin: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jobs_are_many_and_have_names_of_their_own() {
        let jobs = all().unwrap();
        assert!(jobs.len() >= 50, "{}", jobs.len());
        let names: std::collections::BTreeSet<&str> = jobs.iter().map(|job| job.name.as_str()).collect();
        assert_eq!(names.len(), jobs.len());
        for job in &jobs {
            assert!(job.text.contains('['), "{}", job.name);
            // fio makes what it does not find: no job that runs may name a place outside of its folder.
            let leads_out = job.text.contains("=/") || job.text.contains(":/") || job.text.contains("..");
            assert!(!leads_out || job.arguments.iter().any(|word| word == "--parse-only"), "{}", job.name);
        }
    }
}
