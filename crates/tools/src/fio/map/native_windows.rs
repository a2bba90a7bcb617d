//! Engines by which jobs of other systems are carried out on Windows.

/// The engine of this system that does the work of another's.
pub fn native(engine: &'static str) -> &'static str {
    match engine {
        "uring" | "aio" => "iocp",
        other => other,
    }
}
