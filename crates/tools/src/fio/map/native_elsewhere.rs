//! Engines by which jobs are carried out where all of them may be.

/// The engine itself.
pub fn native(engine: &'static str) -> &'static str {
    engine
}
