//! Prints what is seen of files, a line of JSON each: `examine [--model] [--full] PATH…`.

use crashlens_core::files::{Setting, judge};
use crashlens_files::{LocalStore, Options, Purpose, examine};

#[expect(clippy::print_stdout, reason = "what an example is for")]
fn main() {
    let mut options = Options::default();
    for argument in std::env::args().skip(1) {
        match argument.as_str() {
            "--model" => options.purpose = Purpose::Model,
            "--full" => options.full = true,
            path => {
                let facts = examine(&LocalStore, path, &options);
                let findings = judge(&facts, &Setting::default());
                let line = serde_json::json!({ "facts": facts, "findings": findings });
                println!("{line}");
            }
        }
    }
}
