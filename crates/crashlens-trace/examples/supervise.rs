//! The smallest supervisor: runs a program and writes what was seen as lines of JSON.
//!
//! `supervise OUT [fail CALL N ERRNO] [no-tail] [hang-after SECONDS] run PROGRAM ARGS… | attach PID | look PID`
//!
//! The integration tests drive it, because a supervisor needs a process of its own.

use std::ffi::OsString;
use std::fs::File;
use std::io::Write;
use std::process::ExitCode;

use crashlens_core::{CaptureFile, Gaps};
use crashlens_trace::injection::{Call, fail_from, fail_nth};
use crashlens_trace::{Attached, Hang, KeepTail, Observer, Options, Outcome, SuperviseError};
use serde_json::json;

struct Writer(File);

impl Writer {
    fn line(&mut self, line: &serde_json::Value) {
        writeln!(self.0, "{line}").expect("the output file can be written");
    }

    fn ended(&mut self, outcome: &Outcome) -> u8 {
        let supervision = format!("{:?}", outcome.supervision);
        let gaps = &outcome.gaps;
        self.line(&json!({ "ended": { "wait_status": outcome.wait_status, "supervision": supervision, "gaps": gaps } }));
        outcome.exit_code()
    }

    fn detached(&mut self, gaps: &Gaps) -> u8 {
        self.line(&json!({ "detached": { "gaps": gaps } }));
        0
    }
}

impl Observer for Writer {
    fn died(&mut self, file: CaptureFile) {
        self.line(&json!({ "died": file.capture, "recorded": file.recording.is_some() }));
    }

    fn hung(&mut self, hang: Hang) {
        let captures: Vec<_> = hang.processes.iter().map(|file| &file.capture).collect();
        self.line(&json!({ "hung": captures }));
    }
}

fn plan_failure(words: &mut impl Iterator<Item = OsString>) {
    let mut word = || {
        words
            .next()
            .and_then(|word| word.into_string().ok())
            .expect("fail CALL N ERRNO")
    };
    let call = match word().as_str() {
        "seize" => Call::Seize,
        "interrupt" => Call::Interrupt,
        "resume" => Call::Resume,
        "detach" => Call::Detach,
        "registers" => Call::Registers,
        "signal-record" => Call::SignalRecord,
        "event-message" => Call::EventMessage,
        "wait" => Call::Wait,
        "read-memory" => Call::ReadMemory,
        "open" => Call::Open,
        other => panic!("no such call: {other}"),
    };
    let n = word();
    let errno = nix::errno::Errno::from_raw(word().parse().expect("a number"));
    match n.strip_suffix('+') {
        Some(n) => fail_from(call, n.parse().expect("a number"), errno),
        None => fail_nth(call, n.parse().expect("a number"), errno),
    }
}

fn run(
    writer: &mut Writer,
    mut words: impl Iterator<Item = OsString>,
) -> Result<u8, SuperviseError> {
    let mut options = Options {
        tail: KeepTail::UnlessTerminal,
        locals: true,
        hang_after: None,
        ours: None,
    };
    let number = |word: Option<OsString>| -> u32 {
        word.and_then(|word| word.to_str()?.parse().ok())
            .expect("a number")
    };
    loop {
        match words.next().as_ref().and_then(|word| word.to_str()) {
            Some("fail") => plan_failure(&mut words),
            Some("no-tail") => options.tail = KeepTail::No,
            Some("hang-after") => {
                let seconds = number(words.next());
                options.hang_after = Some(std::time::Duration::from_secs(seconds.into()));
            }
            Some("run") => {
                let command: Vec<_> = words.collect();
                return crashlens_trace::supervise(&command, &options, writer)
                    .map(|outcome| writer.ended(&outcome));
            }
            Some("attach") => {
                let attached = crashlens_trace::attach(number(words.next()), &options, writer)?;
                return Ok(match attached {
                    Attached::Ended(outcome) => writer.ended(&outcome),
                    Attached::Detached(gaps) => writer.detached(&gaps),
                });
            }
            Some("look") => {
                let file = crashlens_trace::look_at(number(words.next()), true)?;
                writer.died(file);
                return Ok(0);
            }
            other => panic!("run, attach or look expected, not {other:?}"),
        }
    }
}

fn main() -> ExitCode {
    let mut words = std::env::args_os().skip(1);
    let out = words.next().expect("an output file");
    let mut writer = Writer(File::create(out).expect("the output file can be made"));
    match run(&mut writer, words) {
        Ok(code) => code.into(),
        Err(error) => {
            let help = error.help();
            writer.line(&json!({ "failed": { "error": error.to_string(), "help": help, "debug": format!("{error:?}") } }));
            error.exit_code().into()
        }
    }
}
