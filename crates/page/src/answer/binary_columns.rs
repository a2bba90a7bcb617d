//! Columns of numbers as bytes: the length of a JSON header as a little-endian `u32`, the header, spaces up to a multiple
//! of 8, then the columns one after the other: numbers little-endian in 4 bytes each, letters as UTF-8, each column from
//! a multiple of 4 on.

use serde::Serialize;

use super::{Answer, Refusal};

/// One column.
#[derive(Debug)]
pub(super) enum Numbers {
    /// Counts.
    U32(Vec<u32>),
    /// Figures; not a number where nothing was measured.
    F32(Vec<f32>),
    /// Words, a line each.
    Lines(String),
}

/// What a reader has to know of a column: its name, the type of its numbers, how many there are, and behind how many
/// bytes of the body it begins.
#[derive(Serialize)]
struct ColumnHeader<'a> {
    name: &'a str,
    #[serde(rename = "type")]
    kind: &'static str,
    length: usize,
    offset: usize,
}

#[derive(Serialize)]
struct TransferHeader<'a, H> {
    #[serde(flatten)]
    header: &'a H,
    columns: Vec<ColumnHeader<'a>>,
}

/// A count as the wire has it, and whether it was cut.
pub(super) fn count(value: u64, cut: &mut bool) -> u32 {
    u32::try_from(value).unwrap_or_else(|_| {
        *cut = true;
        u32::MAX
    })
}

/// A header with its columns.
pub(super) fn columns(header: &impl Serialize, columns: &[(String, Numbers)]) -> Result<Answer, Refusal> {
    let mut offset = 0;
    let mut described = Vec::with_capacity(columns.len());
    for (name, numbers) in columns {
        let (kind, length) = match numbers {
            Numbers::U32(values) => ("u32", values.len()),
            Numbers::F32(values) => ("f32", values.len()),
            Numbers::Lines(text) => ("u8", text.len()),
        };
        described.push(ColumnHeader { name, kind, length, offset });
        offset += if kind == "u8" { length.next_multiple_of(4) } else { length * 4 };
    }
    let mut text = fathom_json::bytes(&TransferHeader { header, columns: described })
        .map_err(|error| Refusal::new(500, "system", error.to_string()))?;
    while !(text.len() + 4).is_multiple_of(8) {
        text.push(b' ');
    }
    let mut bytes = Vec::with_capacity(4 + text.len() + offset);
    bytes.extend((text.len() as u32).to_le_bytes());
    bytes.extend(text);
    for (_, numbers) in columns {
        match numbers {
            Numbers::U32(values) => values.iter().for_each(|value| bytes.extend(value.to_le_bytes())),
            Numbers::F32(values) => values.iter().for_each(|value| bytes.extend(value.to_le_bytes())),
            Numbers::Lines(text) => {
                bytes.extend(text.as_bytes());
                bytes.resize(bytes.len().next_multiple_of(4), 0);
            }
        }
    }
    Ok(Answer::Columns(bytes))
}
