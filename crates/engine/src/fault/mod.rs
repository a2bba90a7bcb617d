//! A decorator that makes chosen I/Os fail, to prove how failures are told.
