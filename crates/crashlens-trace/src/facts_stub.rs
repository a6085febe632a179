//! Stand-ins for the modules that state facts of a process and its machine.

pub(crate) mod procfs {
    use std::collections::BTreeMap;

    use crashlens_core::{Address, Gaps, Limit, Mapping, Observed, Process, Role};

    #[derive(Debug)]
    pub(crate) struct ProcessFacts {
        pub(crate) process: Process,
        pub(crate) maps: Observed<Vec<Mapping>>,
        pub(crate) variables: Observed<BTreeMap<String, String>>,
        pub(crate) limits: Observed<Vec<Limit>>,
    }

    pub(crate) fn process_facts(pid: u32, gaps: &mut Gaps) -> ProcessFacts {
        let command = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        let command = command
            .split(|b| *b == 0)
            .map(|s| String::from_utf8_lossy(s).into_owned())
            .collect();
        let maps = std::fs::read_to_string(format!("/proc/{pid}/maps"));
        let maps = maps.map(|text| text.lines().filter_map(mapping).collect());
        ProcessFacts {
            process: Process {
                pid,
                parent_pid: 0,
                role: Role::Main,
                command,
                executable: Observed::Absent,
                working_directory: Observed::Absent,
            },
            maps: gaps.observe("maps", maps),
            variables: Observed::Absent,
            limits: Observed::Absent,
        }
    }

    fn mapping(line: &str) -> Option<Mapping> {
        let mut words = line.split_whitespace();
        let (start, end) = words.next()?.split_once('-')?;
        Some(Mapping {
            start: Address(u64::from_str_radix(start, 16).ok()?),
            end: Address(u64::from_str_radix(end, 16).ok()?),
            permissions: words.next()?.to_owned(),
            offset: u64::from_str_radix(words.next()?, 16).ok()?,
            inode: words.nth(1)?.parse().ok()?,
            path: words.next().map(str::to_owned),
        })
    }

    pub(crate) fn descendants(pid: u32) -> std::io::Result<Vec<u32>> {
        let mut all = Vec::new();
        for task in std::fs::read_dir(format!("/proc/{pid}/task"))?.flatten() {
            let children =
                std::fs::read_to_string(task.path().join("children")).unwrap_or_default();
            for child in children.split_whitespace().filter_map(|id| id.parse().ok()) {
                all.push(child);
                all.extend(descendants(child).unwrap_or_default());
            }
        }
        Ok(all)
    }

    pub(crate) fn thread_name(pid: u32, tid: u32) -> String {
        let name =
            std::fs::read_to_string(format!("/proc/{pid}/task/{tid}/comm")).unwrap_or_default();
        name.trim_end().to_owned()
    }
}

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

        pub(crate) fn read_again(&self) -> Self {
            Self::read(0)
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
