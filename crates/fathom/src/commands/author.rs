//! Who types: the name of this user, as notes and marks bear it.

/// The user's name, as the system's environment has it.
pub fn author() -> Option<String> {
    let name = ["USER", "LOGNAME", "USERNAME"].into_iter().find_map(|name| std::env::var(name).ok());
    name.map(|name| name.trim().to_owned()).filter(|name| !name.is_empty())
}
