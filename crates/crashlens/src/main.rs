//! The `crashlens` command.
#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    crashlens::invoke(std::env::args_os()).into()
}
