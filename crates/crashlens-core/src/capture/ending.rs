//! How a process ended.

use serde::{Deserialize, Serialize};

use super::Address;

/// How a process ended, in the words of the report contract.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Ending {
    /// What ended it.
    pub kind: EndingKind,
    /// The signal that explains the death: the first chance where a handler caught the fault and raised it again.
    pub signal: Option<Signal>,
    /// `si_code` by name: `SEGV_MAPERR`, `SI_TKILL`…
    pub code: Option<String>,
    /// The faulting address, where the kernel gave one.
    pub address: Option<Address>,
    /// The process that sent the signal, where one did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sender_pid: Option<u32>,
    /// Status as `waitpid` gave it, once the process is reaped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wait_status: Option<i32>,
    /// Exit code, for an ordinary exit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// Faults seen before the last signal, oldest first: caught by a handler that raised again or survived them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub earlier_faults: Vec<Fault>,
    /// Whether a handler caught the fault and raised it again, so that `signal` is the first of two.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub raised_again: bool,
}

impl Ending {
    /// Of a process that is looked at while it runs.
    pub fn running() -> Self {
        Self {
            kind: EndingKind::Running,
            signal: None,
            code: None,
            address: None,
            sender_pid: None,
            wait_status: None,
            exit_code: None,
            earlier_faults: Vec::new(),
            raised_again: false,
        }
    }

    /// Of a process that is looked at while a signal has stopped it.
    pub fn stopped() -> Self {
        Self {
            kind: EndingKind::Stopped,
            ..Self::running()
        }
    }

    /// Whether a process sent the signal, with `kill`, `raise`, `tgkill` or `sigqueue`: what the kernel sends it for did
    /// not happen then.
    pub fn is_sent(&self) -> bool {
        let code = self.code.as_deref();
        code.is_some_and(|code| matches!(code, "SI_USER" | "SI_QUEUE" | "SI_TKILL"))
    }
}

/// What kind of ending it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum EndingKind {
    /// A signal whose action was to end the process.
    Signal,
    /// SIGKILL, and the kernel counted an out-of-memory kill at the same time.
    OomKill,
    /// An ordinary exit.
    Exit,
    /// It was alive when it was looked at (`attach --now`, `--hang-after`).
    Running,
    /// It was alive when it was looked at, and a signal had stopped it: SIGSTOP, or Ctrl-Z.
    Stopped,
    /// It is not known how it ended, or whether: text and core dumps may leave that out.
    Unknown,
}

impl EndingKind {
    /// Whether the process was alive when it was looked at.
    pub fn is_alive(self) -> bool {
        matches!(self, Self::Running | Self::Stopped)
    }
}

/// One signal as it reached a thread.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Fault {
    /// The thread.
    pub thread: u32,
    /// The signal.
    pub signal: Signal,
    /// `si_code` by name.
    pub code: String,
    /// Faulting address, where the kernel gave one.
    pub address: Option<Address>,
    /// Where the thread was.
    pub instruction_pointer: Address,
    /// How often a fault at this instruction was seen.
    pub count: u64,
}

/// A Linux signal number that people see by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Signal(pub i32);

/// Names of signals 1 to 31 on x86-64 and aarch64.
const NAMES: [&str; 31] = [
    "SIGHUP",
    "SIGINT",
    "SIGQUIT",
    "SIGILL",
    "SIGTRAP",
    "SIGABRT",
    "SIGBUS",
    "SIGFPE",
    "SIGKILL",
    "SIGUSR1",
    "SIGSEGV",
    "SIGUSR2",
    "SIGPIPE",
    "SIGALRM",
    "SIGTERM",
    "SIGSTKFLT",
    "SIGCHLD",
    "SIGCONT",
    "SIGSTOP",
    "SIGTSTP",
    "SIGTTIN",
    "SIGTTOU",
    "SIGURG",
    "SIGXCPU",
    "SIGXFSZ",
    "SIGVTALRM",
    "SIGPROF",
    "SIGWINCH",
    "SIGIO",
    "SIGPWR",
    "SIGSYS",
];

impl Signal {
    /// `SIGSEGV`
    pub const SEGV: Self = Self(11);
    /// `SIGABRT`
    pub const ABRT: Self = Self(6);
    /// `SIGBUS`
    pub const BUS: Self = Self(7);
    /// `SIGFPE`
    pub const FPE: Self = Self(8);
    /// `SIGILL`
    pub const ILL: Self = Self(4);
    /// `SIGTRAP`
    pub const TRAP: Self = Self(5);
    /// `SIGKILL`
    pub const KILL: Self = Self(9);
    /// `SIGSYS`
    pub const SYS: Self = Self(31);

    /// `SIGSEGV`; `SIG34` for a signal without a fixed name.
    pub fn name(self) -> String {
        self.0
            .checked_sub(1)
            .and_then(|index| usize::try_from(index).ok())
            .and_then(|index| NAMES.get(index))
            .map_or_else(|| format!("SIG{}", self.0), |name| (*name).to_owned())
    }

    /// Whether the processor raises it for what an instruction did.
    pub fn is_fault(self) -> bool {
        matches!(
            self,
            Self::SEGV | Self::BUS | Self::FPE | Self::ILL | Self::TRAP
        )
    }

    /// `si_code` by name, for this signal.
    pub fn code_name(self, code: i32) -> String {
        match (self, code) {
            (Self::SEGV, 1) => "SEGV_MAPERR",
            (Self::SEGV, 2) => "SEGV_ACCERR",
            (Self::SEGV, 3) => "SEGV_BNDERR",
            (Self::SEGV, 4) => "SEGV_PKUERR",
            (Self::SEGV, 10) => "SEGV_CPERR",
            (Self::BUS, 1) => "BUS_ADRALN",
            (Self::BUS, 2) => "BUS_ADRERR",
            (Self::BUS, 3) => "BUS_OBJERR",
            (Self::BUS, 4) => "BUS_MCEERR_AR",
            (Self::BUS, 5) => "BUS_MCEERR_AO",
            (Self::FPE, 1) => "FPE_INTDIV",
            (Self::FPE, 2) => "FPE_INTOVF",
            (Self::FPE, 3) => "FPE_FLTDIV",
            (Self::FPE, 4) => "FPE_FLTOVF",
            (Self::FPE, 5) => "FPE_FLTUND",
            (Self::FPE, 6) => "FPE_FLTRES",
            (Self::FPE, 7) => "FPE_FLTINV",
            (Self::FPE, 8) => "FPE_FLTSUB",
            (Self::ILL, 1) => "ILL_ILLOPC",
            (Self::ILL, 2) => "ILL_ILLOPN",
            (Self::ILL, 3) => "ILL_ILLADR",
            (Self::ILL, 4) => "ILL_ILLTRP",
            (Self::ILL, 5) => "ILL_PRVOPC",
            (Self::TRAP, 1) => "TRAP_BRKPT",
            (Self::TRAP, 2) => "TRAP_TRACE",
            (Self::TRAP, 4) => "TRAP_HWBKPT",
            (Self::SYS, 1) => "SYS_SECCOMP",
            (Self::SYS, 2) => "SYS_USER_DISPATCH",
            (_, 0) => "SI_USER",
            (_, 0x80) => "SI_KERNEL",
            (_, -1) => "SI_QUEUE",
            (_, -2) => "SI_TIMER",
            (_, -3) => "SI_MESGQ",
            (_, -4) => "SI_ASYNCIO",
            (_, -5) => "SI_SIGIO",
            (_, -6) => "SI_TKILL",
            _ => return format!("code {code}"),
        }
        .to_owned()
    }
}

impl Serialize for Signal {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.name())
    }
}

impl<'de> Deserialize<'de> for Signal {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        let known = NAMES
            .iter()
            .position(|name| *name == text)
            .map(|index| index as i32 + 1);
        known
            .or_else(|| {
                text.strip_prefix("SIG")
                    .and_then(|number| number.parse().ok())
            })
            .map(Self)
            .ok_or_else(|| serde::de::Error::custom(format!("unknown signal {text}")))
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Signal {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Signal".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "string", "pattern": "^SIG[A-Z0-9]+$" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_that_a_capture_may_hold_has_a_name() {
        for (number, name) in [
            (11, "SIGSEGV"),
            (0, "SIG0"),
            (34, "SIG34"),
            (i32::MIN, "SIG-2147483648"),
        ] {
            assert_eq!(Signal(number).name(), name);
            let text = serde_json::to_string(&Signal(number)).unwrap();
            assert_eq!(
                serde_json::from_str::<Signal>(&text).unwrap(),
                Signal(number)
            );
        }
    }
}
