//! Keeps run records and campaign journals in one SQLite file, crash-safe.
