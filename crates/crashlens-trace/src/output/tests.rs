use std::os::fd::AsRawFd;
use std::path::Path;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use super::*;

fn write_all(mut stream: &File, bytes: &[u8]) {
    stream
        .write_all(bytes)
        .expect("the program can write to its standard error");
}

fn read_exactly(mut stream: &File, length: usize) -> Vec<u8> {
    let mut bytes = vec![0; length];
    stream.read_exact(&mut bytes).expect("the bytes arrive");
    bytes
}

/// A relay to a pipe: the relay, the program's standard error, and the far end.
fn to_pipe() -> (Relay, File, File) {
    let (far, near) = io::pipe().unwrap();
    let (relay, stderr) = Relay::start_to(near.into(), KeepTail::UnlessTerminal).unwrap();
    (
        relay,
        File::from(stderr.unwrap()),
        File::from(OwnedFd::from(far)),
    )
}

fn lines(relay: &Relay) -> Vec<String> {
    let mut gaps = Gaps::default();
    let tail = relay.tail(0, &mut gaps);
    tail.known()
        .unwrap_or_else(|| panic!("no tail: {gaps:?}"))
        .lines
        .clone()
}

#[test]
fn every_byte_arrives_in_order_and_the_end_is_kept() {
    let (relay, stderr, far) = to_pipe();
    let sent: Vec<u8> = (0..3_000_000_u32)
        .map(|number| (number % 253) as u8)
        .collect();
    let expected = sent.clone();
    let writer = std::thread::spawn(move || {
        write_all(&stderr, &sent);
        write_all(&stderr, b"\nlast words");
    });
    assert!(
        read_exactly(&far, expected.len()) == expected,
        "the bytes changed on the way"
    );
    assert_eq!(read_exactly(&far, 11), b"\nlast words");
    writer.join().unwrap();
    assert_eq!(lines(&relay).last().unwrap(), "last words");
}

#[test]
fn a_terminal_is_left_to_the_program() {
    let pty = nix::pty::openpty(None, None).unwrap();
    let (relay, stderr) = Relay::start_to(pty.slave, KeepTail::UnlessTerminal).unwrap();
    assert!(stderr.is_none(), "the program has the terminal itself");
    let mut gaps = Gaps::default();
    assert!(relay.tail(0, &mut gaps).is_unknown());
    assert!(gaps.0[0].remedy.is_some(), "{gaps:?}");
}

#[test]
fn a_drain_misses_nothing_that_was_written_before_it() {
    let (relay, stderr, far) = to_pipe();
    let reader = std::thread::spawn(move || io::copy(&mut &far, &mut io::sink()));
    for number in 0..200 {
        write_all(&stderr, format!("line {number}\n").as_bytes());
        assert_eq!(*lines(&relay).last().unwrap(), format!("line {number}"));
    }
    drop((relay, stderr));
    reader.join().unwrap().unwrap();
}

#[test]
fn an_orphan_keeps_a_working_standard_error_after_the_run_is_finished() {
    let (relay, stderr, far) = to_pipe();
    write_all(&stderr, b"program\n");
    relay.finish();
    assert_eq!(read_exactly(&far, 8), b"program\n");
    write_all(&stderr, b"orphan\n");
    assert_eq!(read_exactly(&far, 7), b"orphan\n");
    drop(stderr);
    assert_eq!(far_end(&far), b"", "the courier ends with the last writer");
}

fn far_end(mut far: &File) -> Vec<u8> {
    let mut rest = Vec::new();
    far.read_to_end(&mut rest).unwrap();
    rest
}

#[test]
fn the_program_writes_on_when_crashlens_is_gone_without_a_word() {
    let (relay, stderr, far) = to_pipe();
    drop(relay);
    write_all(&stderr, b"still here\n");
    drop(stderr);
    assert_eq!(far_end(&far), b"still here\n");
}

#[test]
fn the_program_learns_that_nobody_reads_its_standard_error() {
    let (_relay, mut stderr, far) = to_pipe();
    drop(far);
    let error = (0..100_000)
        .find_map(|_| stderr.write_all(&[b'x'; 1024]).err())
        .expect("writing fails at last");
    assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);
}

#[test]
fn a_reader_that_takes_nothing_does_not_hide_the_last_lines() {
    let (far, near) = io::pipe().unwrap();
    let (relay, stderr) = Relay::start_to(near.into(), KeepTail::UnlessTerminal).unwrap();
    let stderr = File::from(stderr.unwrap());
    let filler = [b"filler ".repeat(10).as_slice(), b"\n"].concat();
    write_all(&stderr, &filler.repeat(300_000 / filler.len()));
    write_all(&stderr, b"the reason\n");
    assert_eq!(lines(&relay).last().unwrap(), "the reason");
    drop(far);
}

#[test]
fn the_courier_holds_no_stream_of_a_pipeline_open() {
    let (far, near) = io::pipe().unwrap();
    let (_relay, _stderr, _far) = to_pipe();
    drop(near);
    assert_eq!(far_end(&File::from(OwnedFd::from(far))), b"");
}

#[test]
fn what_the_program_gets_is_not_inherited_by_accident() {
    let (_relay, stderr, _far) = to_pipe();
    let flags = fcntl(&stderr, FcntlArg::F_GETFD).unwrap();
    assert_eq!(flags & libc::FD_CLOEXEC, libc::FD_CLOEXEC);
}

#[test]
fn without_a_relay_the_reason_is_a_gap() {
    let (relay, stderr) = Relay::start(KeepTail::No).unwrap();
    let mut gaps = Gaps::default();
    assert!(stderr.is_none());
    assert!(matches!(relay.tail(0, &mut gaps), Observed::Unknown(_)));
    assert_eq!(gaps.0[0].part, "the end of standard error");
}

/// What the program has written to a file of its own, and what is kept of it.
fn tail_of_file(file: &File, write: impl FnOnce(&File)) -> Vec<String> {
    let (relay, stderr) =
        Relay::start_to(file.try_clone().unwrap().into(), KeepTail::UnlessTerminal).unwrap();
    assert!(stderr.is_none(), "the program has the file itself");
    write(file);
    lines(&relay)
}

#[test]
fn a_file_stays_the_programs_own_and_its_new_end_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log");
    std::fs::write(&path, "an earlier run\n").unwrap();
    let appended = File::options().append(true).open(&path).unwrap();
    let kept = tail_of_file(&appended, |file| write_all(file, b"one\ntwo\n"));
    assert_eq!(kept, ["one", "two"]);
    let anew = File::create(&path).unwrap();
    let kept = tail_of_file(&anew, |file| {
        write_all(file, b"three\n");
        // Logs are truncated and renamed while they are written.
        std::fs::remove_file(&path).unwrap();
        write_all(file, b"four\n");
        file.set_len(0).unwrap();
        file.write_all_at(b"five\n", 0).unwrap();
    });
    assert_eq!(kept, ["five"]);
}

#[test]
fn a_large_file_is_read_at_its_end_alone() {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(b"before\n").unwrap();
    let kept = tail_of_file(&file, |file| {
        for number in 0..100_000 {
            write_all(file, format!("line {number}\n").as_bytes());
        }
    });
    assert_eq!(kept.len(), tail::MAX_LINES);
    assert_eq!(kept.last().unwrap(), "line 99999");
}

#[test]
fn the_program_has_a_device_itself() {
    for device in ["/dev/full", "/dev/null"] {
        let file = File::options().write(true).open(device).unwrap();
        let (relay, stderr) = Relay::start_to(file.into(), KeepTail::UnlessTerminal).unwrap();
        assert!(stderr.is_none(), "{device}");
        assert!(relay.tail(0, &mut Gaps::default()).is_unknown(), "{device}");
    }
}

#[test]
fn a_socket_stays_a_socket() {
    let (near, far) = UnixStream::pair().unwrap();
    let (relay, stderr) = Relay::start_to(near.into(), KeepTail::UnlessTerminal).unwrap();
    let stderr = File::from(stderr.unwrap());
    assert!(stderr.metadata().unwrap().file_type().is_socket());
    write_all(&stderr, b"words\n");
    assert_eq!(lines(&relay), ["words"]);
    assert_eq!(read_exactly(&File::from(OwnedFd::from(far)), 6), b"words\n");
}

#[test]
fn our_own_report_in_the_same_file_is_not_taken_for_the_programs_words() {
    let file = tempfile::tempfile().unwrap();
    let (relay, _) =
        Relay::start_to(file.try_clone().unwrap().into(), KeepTail::UnlessTerminal).unwrap();
    for number in 0..2 {
        write_all(&file, format!("program {number}\n").as_bytes());
        relay.beside(|| write_all(&file, b"report\nof ours\n"));
    }
    relay.beside(|| {});
    write_all(&file, b"program again\n");
    assert_eq!(lines(&relay), ["program 0", "program 1", "program again"]);
}

/// The courier that carries, of the two that hold this end of a pipe: the other one is its child.
fn carrier(of: &File) -> Pid {
    let link = |path: &Path| std::fs::read_link(path).unwrap_or_default();
    let pipe = link(Path::new(&format!("/proc/self/fd/{}", of.as_raw_fd())));
    let is_courier = |pid: &u32| {
        let name = std::fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
        let files = std::fs::read_dir(format!("/proc/{pid}/fd"));
        name == "crashlens-relay\n"
            && files.is_ok_and(|mut it| it.any(|it| it.is_ok_and(|it| link(&it.path()) == pipe)))
    };
    let processes = std::fs::read_dir("/proc").unwrap();
    let numbers = processes.filter_map(|it| it.ok()?.file_name().to_str()?.parse().ok());
    let couriers: Vec<u32> = numbers.filter(is_courier).collect();
    let parent = |pid: u32| {
        let status = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        let after_name = status.rsplit(')').next().unwrap_or_default().to_owned();
        after_name.split_whitespace().nth(1)?.parse::<u32>().ok()
    };
    let first = couriers
        .iter()
        .find(|pid| !parent(**pid).is_some_and(|it| couriers.contains(&it)));
    Pid::from_raw(first.copied().expect("a courier") as i32)
}

#[test]
fn a_courier_that_is_killed_has_a_successor_and_the_program_notices_nothing() {
    let (relay, stderr, far) = to_pipe();
    for number in 0..3 {
        let line = format!("line {number}\n");
        write_all(&stderr, line.as_bytes());
        assert_eq!(read_exactly(&far, line.len()), line.as_bytes());
        // An answer shows that a second courier stands by.
        assert_eq!(lines(&relay).last().unwrap(), line.trim_end());
        kill(carrier(&stderr), Signal::SIGKILL).unwrap();
    }
    let tail = relay.tail(0, &mut Gaps::default());
    assert!(tail.known().is_none_or(|tail| tail.truncated));
    write_all(&stderr, b"last words\n");
    assert_eq!(read_exactly(&far, 11), b"last words\n");
    relay.finish();
    drop(stderr);
    assert_eq!(
        (&far).read(&mut [0]).unwrap(),
        0,
        "both couriers have ended"
    );
}

#[test]
fn a_terminal_is_carried_on_request_with_its_size_and_line_ends() {
    let size = |ws_row, ws_col| libc::winsize {
        ws_row,
        ws_col,
        ws_xpixel: 0,
        ws_ypixel: 0,
    };
    let pty = nix::pty::openpty(&size(33, 111), None).unwrap();
    let (relay, stderr) = Relay::start_to(pty.slave, KeepTail::AlsoOfTerminal).unwrap();
    let (stderr, far) = (File::from(stderr.unwrap()), File::from(pty.master));
    let area = || {
        let size = rustix::termios::tcgetwinsize(&stderr).unwrap();
        (size.ws_row, size.ws_col)
    };
    assert!(stderr.is_terminal());
    assert_eq!(area(), (33, 111));
    write_all(&stderr, b"one\ntwo\xff\n");
    assert_eq!(read_exactly(&far, 11), b"one\r\ntwo\xff\r\n");
    assert_eq!(lines(&relay), ["one", "two\u{fffd}"]);
    let mut larger = rustix::termios::tcgetwinsize(&far).unwrap();
    (larger.ws_row, larger.ws_col) = (50, 200);
    rustix::termios::tcsetwinsize(&far, larger).unwrap();
    write_all(&stderr, b"three\n");
    assert_eq!(lines(&relay).last().unwrap(), "three");
    assert_eq!(area(), (50, 200));
}
