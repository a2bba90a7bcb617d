//! A column of words of a row group, a batch of rows at a time: by the keys of its dictionary, or value by value.

use parquet::column::page::PageReader;
use parquet::data_type::ByteArray;
use parquet::errors::Result;

use super::column_batches::Column;
use super::keyed_words::KeyedWords;

/// A column of words; numbers are words too.
pub enum WordColumn {
    /// As its pages have it.
    Keyed(Box<KeyedWords>),
    /// With a value for each row.
    Each(Box<Column>, Vec<ByteArray>),
}

impl WordColumn {
    /// Of pages of the encodings that [`KeyedWords`] reads.
    pub fn keyed(pages: Box<dyn PageReader>, present: i16) -> Self {
        Self::Keyed(Box::new(KeyedWords::new(pages, present)))
    }

    /// Of any column.
    pub fn of(column: Column) -> Self {
        Self::Each(Box::new(column), Vec::new())
    }

    /// Reads the next rows.
    ///
    /// # Errors
    /// When the column is damaged or ends before them.
    pub fn read(&mut self, rows: usize) -> Result<()> {
        match self {
            Self::Keyed(words) => words.read(rows),
            Self::Each(column, words) => {
                column.read(rows)?;
                column.words(words);
                Ok(())
            }
        }
    }

    /// Leaves the next rows out.
    ///
    /// # Errors
    /// As [`WordColumn::read`].
    pub fn skip(&mut self, rows: usize) -> Result<()> {
        match self {
            Self::Keyed(words) => words.read(rows),
            Self::Each(column, _) => column.skip(rows),
        }
    }

    /// The words of the rows that were read; empty for null.
    pub fn texts(&self) -> Vec<&[u8]> {
        match self {
            Self::Keyed(words) => words.texts(),
            Self::Each(_, words) => words.iter().map(ByteArray::data).collect(),
        }
    }
}
