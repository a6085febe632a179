//! Versions, variables and the machine, where the text states them.
//!
//! Only what a command printed or a person listed counts: advice and requirements (`pip install x==1.0`, `needs numpy
//! 1.19`) do not say what was there.

mod packages;

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::Regex;

use crate::capture::{Package, PythonRuntime};
use crate::embedded;
use crate::secrets;

pub(super) use packages::is_tensorflow;

/// What the text tells of the surroundings.
#[derive(Debug, Default)]
pub(super) struct Surroundings {
    pub(super) packages: Vec<Package>,
    pub(super) python: Option<PythonRuntime>,
    pub(super) variables: BTreeMap<String, String>,
    pub(super) kernel: Option<String>,
    pub(super) glibc: Option<String>,
    pub(super) cpu_model: Option<String>,
    pub(super) cpu_flags: Option<Vec<String>>,
    pub(super) memory_total: Option<u64>,
}

const MOST_VARIABLES: usize = 256;

static PYTHON: LazyLock<Regex> = LazyLock::new(|| {
    embedded::regex(
        r"(?:\bPython (?:[Vv]ersion)?\s?[:=]?\s?v?|[/\\][Pp]ython|\bpython|\bcpython-)([23]\.\d{1,2}(?:\.\d{1,2})?|3\d{1,2}\b)",
    )
});
/// `Linux host 5.4.0-42-generic #46-Ubuntu SMP … x86_64 GNU/Linux`
static UNAME: LazyLock<Regex> = LazyLock::new(|| {
    embedded::regex(r"\bLinux \S+ (\d+\.\d+\S*) #.* (x86_64|aarch64|ppc64le|armv7l|i686|s390x)\b")
});
static MACHINE: LazyLock<Regex> =
    LazyLock::new(|| embedded::regex(r"^(x86_64|aarch64|arm64|ppc64le|armv7l|i686)\s*$"));
static GLIBC: LazyLock<Regex> = LazyLock::new(|| {
    embedded::regex(
        r"(?:\bldd \([^)]*\) |GNU C Library .*version |\bglibc-|\bglibc (?:version)?:? ?|GLIBC (?:version)?:? ?)(2\.\d{1,2})\b",
    )
});
static CPU_FLAGS: LazyLock<Regex> =
    LazyLock::new(|| embedded::regex(r"^\s*(?:flags|Flags|Features)\s*:\s*(\S.*)$"));
static CPU_MODEL: LazyLock<Regex> = LazyLock::new(|| {
    embedded::regex(r"^\s*(?:model name|Model name|CPU|Processor)\s*:\s*(\S.*?)\s*$")
});
static MEMORY: LazyLock<Regex> = LazyLock::new(|| embedded::regex(r"^MemTotal:\s+(\d+) kB"));
/// What a shell asks with.
static PROMPT: LazyLock<Regex> = LazyLock::new(|| {
    embedded::regex(r"^(?:\([^)]*\)\s*)?(?:[^\s$#%]*[@:~][^$#%]*)?[$#%]\s+|^\w+[$#]\s+")
});
static ASSIGNMENT: LazyLock<Regex> = LazyLock::new(|| {
    embedded::regex(
        r#"^(?:(?:export|env|ENV|set|declare -x|\+)\s+)*([A-Z][A-Z0-9_]{2,60})=("[^"]*"|'[^']*'|\S*)(?:\s+|$)"#,
    )
});

/// Reads all lines.
pub(super) fn of(lines: &[String]) -> Surroundings {
    let mut found = Surroundings {
        packages: packages::of(lines),
        ..Surroundings::default()
    };
    let mut last_command = "";
    for line in lines {
        let typed = PROMPT
            .find(line)
            .map(|prompt| line.get(prompt.end()..).unwrap_or_default());
        found.variables(typed.unwrap_or(line));
        found.machine(line, last_command);
        if found.python.is_none() {
            found.python = python(line);
        }
        if let Some(typed) = typed {
            last_command = typed;
        }
    }
    found
}

impl Surroundings {
    /// `LD_PRELOAD=… python x.py`, `export A=b`, or a line of `env`.
    fn variables(&mut self, line: &str) {
        let mut rest = line;
        while let Some(groups) = ASSIGNMENT.captures(rest) {
            let (Some(whole), Some(name), Some(value)) =
                (groups.get(0), groups.get(1), groups.get(2))
            else {
                return;
            };
            let value = value.as_str().trim_matches(['"', '\'']);
            let shown = secrets::visible_variables([(name.as_str(), value)]);
            if self.variables.len() < MOST_VARIABLES {
                self.variables.extend(shown);
            }
            rest = rest.get(whole.end()..).unwrap_or_default();
        }
    }

    fn machine(&mut self, line: &str, last_command: &str) {
        let text = |pattern: &Regex, group: usize| {
            pattern
                .captures(line)
                .and_then(|groups| Some(groups.get(group)?.as_str().to_owned()))
        };
        if self.kernel.is_none() && line.contains("Linux ") {
            self.kernel = UNAME.captures(line).and_then(|groups| {
                Some(format!(
                    "Linux {} {}",
                    groups.get(1)?.as_str(),
                    groups.get(2)?.as_str()
                ))
            });
        }
        if self.kernel.is_none()
            && (last_command.starts_with("uname") || last_command.starts_with("arch"))
        {
            self.kernel = text(&MACHINE, 1);
        }
        if self.glibc.is_none()
            && (line.contains("ldd (")
                || line.to_ascii_lowercase().contains("glibc")
                || line.contains("GNU C Library"))
        {
            self.glibc = text(&GLIBC, 1);
        }
        if !line.contains(':') {
            return;
        }
        self.cpu_model = self.cpu_model.take().or_else(|| text(&CPU_MODEL, 1));
        if self.cpu_flags.is_none() {
            let flags = text(&CPU_FLAGS, 1);
            let flags: Vec<String> = flags
                .iter()
                .flat_map(|it| it.split_whitespace())
                .map(str::to_owned)
                .collect();
            // A list of features is long; a word behind `Features:` may be anything.
            self.cpu_flags = (flags.len() >= 4).then_some(flags);
        }
        if self.memory_total.is_none() {
            let kilobytes: Option<u64> = text(&MEMORY, 1).and_then(|it| it.parse().ok());
            self.memory_total = kilobytes.and_then(|it| it.checked_mul(1024));
        }
    }
}

/// The interpreter's version: of a banner, or of the folder its packages are in.
fn python(line: &str) -> Option<PythonRuntime> {
    if !line.contains("ython") {
        return None;
    }
    let version = PYTHON.captures(line)?.get(1)?.as_str();
    // `cpython-36m` and `python39.dll` have no dot.
    let version = match (version.contains('.'), version.split_at_checked(1)) {
        (false, Some((major, minor))) => format!("{major}.{minor}"),
        _ => version.to_owned(),
    };
    Some(PythonRuntime {
        version,
        library: String::new(),
        shared: false,
        stripped: false,
        finalizing: None,
    })
}
