//! The program: all of it is in its library.

fn main() -> std::process::ExitCode {
    fathom::main()
}
