//! Arrival, address, size, mix and data patterns as values with one method each.
