//! A decorator that stamps what is written and checks what is read.
