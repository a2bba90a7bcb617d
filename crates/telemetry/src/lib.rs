//! What the machine did beside a run, once a second, and what it is.
