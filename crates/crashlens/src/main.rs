//! The `crashlens` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    crashlens::invoke(std::env::args_os()).into()
}
