//! What is measured: named, found, guarded, opened and described.
