use crate::book;
use crate::capture::{CrashCapture, Signal};
use crate::facts::Facts;
use crate::known_issues::KnownIssues;
use crate::pasted;
use crate::rule::Suspicion;
use crate::sample;

/// What users read where no cause is known.
fn said(capture: &CrashCapture) -> Suspicion {
    let facts = Facts::new(capture, KnownIssues::built_in());
    let rule = book::find("insufficient-evidence").unwrap();
    rule.suspect(&facts).unwrap()
}

fn died_of(signal: i32, code: &str, sender: Option<u32>) -> CrashCapture {
    let thread = sample::thread(1, vec![sample::native("work")]);
    let mut capture = sample::capture(vec![thread], &[]);
    capture.ending.signal = Some(Signal(signal));
    capture.ending.code = Some(code.to_owned());
    capture.ending.sender_pid = sender;
    capture
}

#[test]
fn a_sigsys_that_the_program_raised_is_no_forbidden_system_call() {
    let own = died_of(31, "", None).process.pid;
    for code in ["SI_USER", "SI_TKILL", "SI_QUEUE"] {
        let headline = said(&died_of(31, code, Some(own))).headline;
        assert_eq!(headline, "Its own code sent SIGSYS to the process in work");
    }
    let headline = said(&died_of(31, "SYS_SECCOMP", None)).headline;
    assert!(headline.contains("its sandbox forbids"), "{headline}");
}

#[test]
fn a_signal_that_no_instruction_brings_about_gets_no_advice_about_memory() {
    let advice = |signal: i32| {
        let remedies = said(&died_of(signal, "SI_KERNEL", None)).remedies;
        remedies.into_iter().map(|it| it.action).collect::<String>()
    };
    // SIGPROF, SIGVTALRM, SIGPWR, SIGIO, SIGSTKFLT.
    for signal in [27, 26, 30, 29, 16] {
        let advice = advice(signal);
        assert!(!advice.contains("memory"), "{signal}: {advice}");
    }
    assert!(advice(27).contains("setitimer"), "{}", advice(27));
    assert!(advice(11).contains("memory"), "{}", advice(11));
}

#[test]
fn a_text_about_something_else_is_not_said_to_tell_of_a_death() {
    let headline = |text: &str| said(&pasted::read(text.as_bytes()).unwrap()).headline;
    let accounts =
        "root:x:0:0:root:/root:/bin/bash\ndaemon:x:1:1:daemon:/usr/sbin:/usr/sbin/nologin\n";
    assert_eq!(
        headline(accounts),
        "The text does not say that a process died"
    );
    assert!(headline("training\nSegmentation fault\n").starts_with("It died of SIGSEGV"));
    let last_words = headline("terminate called without an active exception\n");
    assert!(last_words.starts_with("It died"), "{last_words}");
}
