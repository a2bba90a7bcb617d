//! The guard against machines of every shape: drawn ones for what a test cannot build, and real loop
//! and memory devices where this process may make them.

mod drawn;
mod made;
mod on_data_in_gaps;
mod on_drawn_machines;
mod on_drawn_namespaces;
mod on_drawn_processes;
mod on_loop_devices;
mod on_other_programs;
mod on_own_data;
mod on_this_machine;
