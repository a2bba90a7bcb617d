//! Counts of things whose zero cannot be: zero in memory, and `null` in a record, is "not known".

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Writes zero as `null`.
pub fn serialize<T, S>(value: &T, serializer: S) -> Result<S::Ok, S::Error>
where
    T: Copy + Default + PartialEq + Serialize,
    S: Serializer,
{
    (*value != T::default()).then_some(*value).serialize(serializer)
}

/// Reads `null` as zero.
pub fn deserialize<'de, T, D>(deserializer: D) -> Result<T, D::Error>
where
    T: Default + Deserialize<'de>,
    D: Deserializer<'de>,
{
    Option::<T>::deserialize(deserializer).map(Option::unwrap_or_default)
}
