//! Compares what crashlens said with the ground truth.

use serde_json::Value;

use super::case::{Case, Expected};
use super::names::same_function;
use super::score::{Cell, Row};

/// Addresses below this are offsets from null and the same in every run; others move with the address space.
const STABLE_ADDRESS_LIMIT: u64 = 16 << 20;

/// What one run gave.
pub struct Observed {
    /// Nothing when the run had to be stopped.
    pub exit_code: Option<i32>,
    pub report: Option<Value>,
    /// Deaths told from the saved captures.
    pub replayed: Vec<Value>,
}

/// The row of the score. Where several endings are right, the one that fits best is taken.
pub fn compare(case: &Case, expected: &[Expected], tensorflow: &str, observed: &Observed) -> Row {
    let rows = expected.iter().map(|expected| match expected {
        Expected::Death { signal, exit_code } => {
            compare_death(case, signal, *exit_code, tensorflow, observed)
        }
        Expected::Control { exit_code } => compare_control(case, Some(*exit_code), observed),
        Expected::Hang => compare_control(case, None, observed),
    });
    rows.min_by_key(|row| (row.signal.is_miss(), row.misses()))
        .unwrap_or_else(|| Row::skipped(case, "no outcome is known"))
}

fn compare_control(case: &Case, exit_code: Option<i32>, observed: &Observed) -> Row {
    let mut row = Row::new(case);
    row.exit = exit_cell(exit_code, observed.exit_code);
    let Some(deaths) = deaths(observed.report.as_ref()) else {
        row.signal = Cell::miss("no death", "no report");
        return row;
    };
    // We ended a program that hangs ourselves.
    let unasked =
        |death: &&Value| exit_code.is_some() || text(death, "/ending/signal") != Some("SIGTERM");
    row.signal = match deaths.iter().find(unasked) {
        None => Cell::Same,
        Some(death) => Cell::miss(
            "no death",
            text(death, "/ending/signal").unwrap_or("a death without a signal"),
        ),
    };
    row
}

fn compare_death(
    case: &Case,
    signal: &str,
    exit_code: i32,
    tensorflow: &str,
    observed: &Observed,
) -> Row {
    let mut row = Row::new(case);
    row.exit = exit_cell(Some(exit_code), observed.exit_code);
    let Some(deaths) = deaths(observed.report.as_ref()) else {
        row.signal = Cell::miss(signal, "no report");
        return row;
    };
    let Some(death) = deaths
        .iter()
        .find(|death| text(death, "/ending/signal") == Some(signal))
        .or(deaths.first())
    else {
        row.signal = Cell::miss(signal, "no death");
        return row;
    };
    row.signal = cell(Some(signal), text(death, "/ending/signal"), |truth, got| {
        truth == got
    });
    row.python = python_cell(case, death);
    // Another signal than on the primary version came by another path, whose code and function nobody recorded.
    if case.signal.as_deref() == Some(signal) {
        row.code = cell(
            case.si_code.as_deref(),
            text(death, "/ending/code"),
            |truth, got| truth == got,
        );
        row.address = address_cell(case, text(death, "/ending/address"));
        row.function = function_cell(case, death);
        row.library = library_cell(case, death);
    }
    row.replay = replay_cell(death, &observed.replayed);
    row.remarks = remarks(case, tensorflow, death, deaths.len());
    row
}

fn deaths(report: Option<&Value>) -> Option<&Vec<Value>> {
    report?.pointer("/deaths")?.as_array()
}

fn text<'a>(value: &'a Value, pointer: &str) -> Option<&'a str> {
    value.pointer(pointer)?.as_str()
}

/// Compares where the truth has something to compare with.
fn cell(truth: Option<&str>, got: Option<&str>, same: impl Fn(&str, &str) -> bool) -> Cell {
    match (truth, got) {
        (None, _) => Cell::Unknown,
        (Some(truth), Some(got)) if same(truth, got) => Cell::Same,
        (Some(truth), got) => Cell::miss(truth, got.unwrap_or("nothing")),
    }
}

fn exit_cell(expected: Option<i32>, got: Option<i32>) -> Cell {
    let spell = |code: Option<i32>| code.map_or("no end".to_owned(), |code| code.to_string());
    if expected == got {
        Cell::Same
    } else {
        Cell::miss(&spell(expected), &spell(got))
    }
}

fn address_cell(case: &Case, got: Option<&str>) -> Cell {
    // The kernel does not tell a non-canonical address; the zero it leaves instead says nothing.
    if case.signal.is_none()
        || case.si_code.is_none()
        || case.si_code.as_deref() == Some("SI_KERNEL")
    {
        return Cell::Unknown;
    }
    let number = |text: &str| u64::from_str_radix(text.trim_start_matches("0x"), 16).ok();
    let truth = match case.si_addr.as_deref() {
        Some("(nil)") => Some(0),
        Some(text) => number(text),
        None => None,
    };
    let spell = |address: Option<u64>| match address {
        None => "none".to_owned(),
        Some(small) if small < STABLE_ADDRESS_LIMIT => format!("{small:#x}"),
        Some(_) => "a large address".to_owned(),
    };
    let (truth, got) = (spell(truth), spell(got.and_then(number)));
    if truth == got {
        Cell::Same
    } else {
        Cell::miss(&truth, &got)
    }
}

fn python_cell(case: &Case, death: &Value) -> Cell {
    let Some(line) = case.python_line else {
        return Cell::Unknown;
    };
    let file = text(death, "/culprit/python/file");
    let got_line = death
        .pointer("/culprit/python/line")
        .and_then(Value::as_u64);
    let (right_file, expected) = match &case.python_frame {
        Some(frame) => (
            file.is_some_and(|file| file.contains(&frame.folder)),
            format!("{}:{}", frame.folder, frame.line),
        ),
        None => (
            file.is_some_and(|file| file.rsplit('/').next() == Some("repro.py")),
            format!("repro.py:{line}"),
        ),
    };
    if right_file && got_line == Some(case.python_frame.as_ref().map_or(line, |frame| frame.line)) {
        return Cell::Same;
    }
    let name = file.and_then(|file| file.rsplit('/').next());
    match (name, got_line) {
        (Some(name), Some(got)) => Cell::miss(&expected, &format!("{name}:{got}")),
        _ => Cell::miss(&expected, "nothing"),
    }
}

/// Truths that are no symbol: the kernel itself, and code that a compiler made at run time.
fn is_prose(truth: &str) -> bool {
    truth == "??" || truth.starts_with("kernel OOM") || truth.starts_with("JIT code")
}

/// The truth names a function of the C library which Python called through ctypes.
fn foreign_call(truth: &str) -> Option<&str> {
    let (name, how) = truth.split_once(" (")?;
    how.contains("reached through ctypes").then_some(name)
}

fn is_bridge(library: &str) -> bool {
    ["libffi", "_ctypes", "libc.so"]
        .iter()
        .any(|prefix| library.starts_with(prefix))
}

fn function_cell(case: &Case, death: &Value) -> Cell {
    let Some(truth) = case.function.as_deref().filter(|truth| !is_prose(truth)) else {
        return Cell::Unknown;
    };
    let got = text(death, "/culprit/function");
    if let Some(name) = foreign_call(truth) {
        let through_bridge =
            text(death, "/culprit/library").is_some_and(|library| is_bridge(base_name(library)));
        return if through_bridge || got == Some(name) {
            Cell::Same
        } else {
            Cell::miss(name, got.unwrap_or("nothing"))
        };
    }
    cell(Some(truth), got, same_function)
}

fn library_cell(case: &Case, death: &Value) -> Cell {
    let got = text(death, "/culprit/library").map(base_name);
    match case.library.as_deref() {
        None | Some("kernel") => Cell::Unknown,
        Some("[anon JIT]") => match got {
            None => Cell::Same,
            Some(got) if got.starts_with('[') => Cell::Same,
            Some(got) => Cell::miss("code without a file", got),
        },
        Some(truth) => {
            let foreign = case.function.as_deref().and_then(foreign_call).is_some();
            cell(Some(truth), got, |truth, got| {
                // An interpreter that is linked statically is its own libpython.
                let own_library = truth.starts_with("libpython") && got.starts_with("python");
                truth == got || own_library || (foreign && is_bridge(got))
            })
        }
    }
}

fn base_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn replay_cell(death: &Value, replayed: &[Value]) -> Cell {
    let expected = "the same death from the saved capture";
    let differing = |other: &Value| -> Vec<&str> {
        let parts = ["ending", "culprit"].into_iter();
        parts
            .filter(|part| death.get(part) != other.get(part))
            .collect()
    };
    match replayed.iter().map(differing).min_by_key(Vec::len) {
        None => Cell::miss(expected, "nothing"),
        Some(parts) if parts.is_empty() => Cell::Same,
        Some(parts) => Cell::miss(expected, &format!("another {}", parts.join(" and "))),
    }
}

/// What is worth seeing but not scored.
fn remarks(case: &Case, tensorflow: &str, death: &Value, deaths: usize) -> Vec<String> {
    let mut remarks = Vec::new();
    if deaths > 1 {
        remarks.push(format!("{deaths} deaths were reported"));
    }
    let op = text(death, "/culprit/op");
    if case.op.as_deref() != op {
        remarks.push(format!(
            "op {} named as {}",
            case.op.as_deref().unwrap_or("(none)"),
            op.unwrap_or("(none)")
        ));
    }
    let main = case
        .thread
        .as_deref()
        .is_some_and(|thread| thread.contains("main"));
    let role = text(death, "/culprit/thread/role").unwrap_or("(none)");
    if main != (role == "main") && case.thread.is_some() {
        remarks.push(format!(
            "thread {} seen as {role}",
            case.thread.as_deref().unwrap_or_default()
        ));
    }
    if !remarks.is_empty() && case.primary != tensorflow {
        remarks.push(format!("truth is of TensorFlow {}", case.primary));
    }
    remarks
}
