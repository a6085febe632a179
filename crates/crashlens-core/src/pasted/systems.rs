//! What text says of a death on each operating system: its crash reports, its kernel's log, its own words.
//!
//! One module per system. Words for ends and messages of a system are in `data/endings.toml` and `data/messages.toml`,
//! each with its source; `data/README.md` says which table is for what.

pub(super) mod linux;
pub(super) mod macos;
pub(super) mod windows;

use crate::capture::System;

/// What only text of one system has. Words of other systems also stand in versions and advice, so these are paths,
/// names of shared libraries and the system's own reports.
const MARKS: [(System, &[&str]); 3] = [
    (
        System::Linux,
        &[
            "/home/",
            ".so.",
            ".so[",
            "/mnt/c/",
            "linux-gnu",
            "core dumped",
            "GNU/Linux",
        ],
    ),
    (
        System::Macos,
        &[
            ".dylib",
            " /Users/",
            "\"/Users/",
            "'/Users/",
            "=/Users/",
            "(/Users/",
            "[/Users/",
            "EXC_BAD_ACCESS",
            "EXC_CRASH",
            "Darwin Kernel",
            "Crash Reporter Key",
        ],
    ),
    (
        System::Windows,
        &[
            ":\\Users\\",
            ":/Users/",
            ":\\Program",
            "Windows fatal exception",
            "Faulting module ",
            "(0xC0000005)",
        ],
    ),
];

/// The system that the text is from; `None` where nothing says so, or several are in it, as with containers and WSL.
pub(super) fn of(lines: &[String]) -> Option<System> {
    let is_in = |marks: &[&str]| {
        // A space before it stands for the beginning of the line, too.
        let has = |line: &String| {
            let is_first = |mark: &str| {
                mark.strip_prefix(' ')
                    .is_some_and(|it| line.starts_with(it))
            };
            marks
                .iter()
                .any(|mark| line.contains(mark) || is_first(mark))
        };
        lines.iter().any(has)
    };
    let mut seen = MARKS.iter().filter(|(_, marks)| is_in(marks));
    let first = seen.next();
    first
        .filter(|_| seen.next().is_none())
        .map(|(system, _)| *system)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn system(text: &str) -> Option<System> {
        let lines: Vec<_> = text.lines().map(str::to_owned).collect();
        of(&lines)
    }

    #[test]
    fn the_system_is_known_where_only_one_is_in_the_text() {
        assert_eq!(
            system("Segmentation fault (core dumped)"),
            Some(System::Linux)
        );
        assert_eq!(
            system("0 libmetal_plugin.dylib 0x0000000107a0 tensorflow::Run + 82"),
            Some(System::Macos)
        );
        assert_eq!(
            system("Windows fatal exception: access violation"),
            Some(System::Windows)
        );
        assert_eq!(system("Segmentation fault: 11"), None);
        let pycharm =
            "C:/Users/me/venv/python.exe C:/Users/me/main.py\nexit code -1073741819 (0xC0000005)";
        assert_eq!(system(pycharm), Some(System::Windows));
        let wsl = "File \"/mnt/c/Users/me/main.py\", line 3 in <module>";
        assert_eq!(system(wsl), Some(System::Linux));
        let mac = "File \"/Users/me/main.py\", line 3 in <module>";
        assert_eq!(system(mac), Some(System::Macos));
        let container = "docker run -v /Users/me/x:/work tf\nImportError: libGL.so.1: cannot open";
        assert_eq!(system(container), None);
    }
}
