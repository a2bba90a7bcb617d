//! `~/.aws/credentials` and `~/.aws/config`: profiles and their settings.
//!
//! Source: AWS SDKs and Tools Reference Guide, "Shared config and credentials files".

use std::collections::BTreeMap;

use super::{Machine, variable};

/// The settings of one profile; the credentials' file comes before the configuration.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Profile {
    /// As it was asked for.
    pub name: String,
    /// Whether a file has it at all.
    pub is_known: bool,
    /// Whether it was named for this call, and so comes before the environment's keys.
    pub is_asked: bool,
    settings: BTreeMap<String, String>,
}

impl Profile {
    /// A setting that says something.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.settings.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }

    /// Reads the profile of this name, or that which `AWS_PROFILE` names, or `default`.
    pub fn read(machine: &impl Machine, asked: Option<&str>) -> Self {
        let of_environment =
            || variable(machine, "AWS_PROFILE").or_else(|| variable(machine, "AWS_DEFAULT_PROFILE"));
        let is_asked = asked.is_some();
        let name = asked.map(str::to_owned).or_else(of_environment).unwrap_or_else(|| "default".to_owned());
        let text = |at: &str, file: &str| match variable(machine, at) {
            Some(path) => machine.text(path.as_ref()),
            None => machine.text(&machine.home()?.join(".aws").join(file)),
        };
        let mut profile = Self { name, is_asked, ..Self::default() };
        // A profile of the configuration is called so, but for the first.
        let sections = [profile.name.clone(), format!("profile {}", profile.name)];
        for text in [text("AWS_CONFIG_FILE", "config"), text("AWS_SHARED_CREDENTIALS_FILE", "credentials")] {
            profile.add(&text.unwrap_or_default(), &sections);
        }
        profile
    }

    fn add(&mut self, text: &str, sections: &[String]) {
        let mut inside = false;
        for line in text.lines() {
            let bare = line.trim();
            if bare.is_empty() || bare.starts_with(['#', ';']) {
                continue;
            }
            if let Some(section) = bare.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
                let words: Vec<&str> = section.0.split_whitespace().collect();
                inside = sections.contains(&words.join(" "));
                self.is_known |= inside;
                continue;
            }
            // A line that is set in belongs to the setting above it, as those of `s3`.
            if let Some((key, value)) =
                bare.split_once('=').filter(|_| inside && !line.starts_with([' ', '\t']))
            {
                let value = value.split(" #").next().unwrap_or_default().trim();
                self.settings.insert(key.trim().to_ascii_lowercase(), value.to_owned());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::pretended::FakeMachine;
    use super::*;

    const CONFIG: &str = "[default]\nregion = eu-west-1\n[profile  work]\nregion=us-east-2 # here\ns3 =\n  region = nowhere\n\
        aws_access_key_id = FROMCONFIG\n[other]\nregion = x\n";

    #[test]
    fn profiles_are_joined_of_both_files() {
        let mut machine = FakeMachine::default();
        machine.file("/home/u/.aws/config", CONFIG);
        machine.file("/home/u/.aws/credentials", "; keys\n[work]\naws_access_key_id = AK\n");
        assert_eq!(Profile::read(&machine, None).get("region"), Some("eu-west-1"));
        machine.set("AWS_PROFILE", "work");
        let work = Profile::read(&machine, None);
        assert_eq!((work.get("region"), work.get("aws_access_key_id")), (Some("us-east-2"), Some("AK")));
        assert_eq!(Profile::read(&machine, Some("other")).get("region"), Some("x"));
        machine.set("AWS_PROFILE", "absent");
        assert!(!Profile::read(&machine, None).is_known);
        machine.set("AWS_CONFIG_FILE", "/elsewhere");
        machine.file("/elsewhere", "[profile absent]\nregion = here");
        assert_eq!(Profile::read(&machine, None).get("region"), Some("here"));
    }
}
