//! NVMe wire structures as plain data: no unsafe code, no allocation, no I/O.
