//! Stand-ins for the modules that state facts of the machine and its packages.

pub(crate) mod host {
    use crashlens_core::{Gaps, Host, Observed};

    #[derive(Debug)]
    pub(crate) struct OomCounters(Option<u64>);

    impl OomCounters {
        pub(crate) fn read(_pid: u32) -> Self {
            let text = std::fs::read_to_string("/proc/vmstat").unwrap_or_default();
            Self(
                text.lines()
                    .find_map(|line| line.strip_prefix("oom_kill "))
                    .and_then(|n| n.parse().ok()),
            )
        }

        pub(crate) fn rose_since(&self, before: &Self) -> Option<bool> {
            Some(self.0? > before.0?)
        }
    }

    pub(crate) fn host_facts(_pid: u32, _gaps: &mut Gaps) -> Host {
        Host {
            kernel: Observed::Absent,
            glibc: Observed::Absent,
            cpu_model: Observed::Absent,
            cpu_flags: Observed::Absent,
            memory_total: Observed::Absent,
            memory_available: Observed::Absent,
            memory_group: Observed::Absent,
        }
    }
}

pub(crate) mod packages {
    use crashlens_core::{Gaps, Module};

    pub(crate) fn assign(_modules: &mut [Module], _gaps: &mut Gaps) {}
}
