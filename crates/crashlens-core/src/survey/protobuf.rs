//! Protocol-buffer modules against the runtime that is installed.

use std::str::FromStr;

use pep440_rs::Version;

use super::requirements::named_in;
use super::{Distribution, Gencode, Survey};

/// The variable that chooses how protocol buffers are implemented in Python.
pub(crate) const IMPLEMENTATION: &str = "PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION";

/// Why generated modules cannot be imported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GencodeFault {
    /// They ask for `runtime_version`, which came with 5.26.
    NoVersionCheck,
    /// They refuse a runtime that is older than their generator.
    RuntimeOlder,
    /// They ask for `builder`, which came with 3.20.
    NoBuilder,
    /// They make descriptors one by one, which runtimes from 4 on refuse.
    DirectDescriptors,
}

impl Survey {
    /// Why the generated modules of a distribution cannot be imported with the runtime that is installed.
    pub fn gencode_fault<'a>(
        &'a self,
        distribution: &'a Distribution,
    ) -> Option<(GencodeFault, &'a Gencode, &'a Distribution)> {
        let gencode = distribution.gencode.as_ref()?;
        let installed = self.distribution("protobuf")?;
        if installed.metadata == distribution.metadata {
            return None;
        }
        let runtime = installed.parsed_version()?;
        let generator = Version::from_str(&gencode.version).ok()?;
        let fault = fault(gencode, &generator, &runtime)?;
        let is_out_of_reach = match fault {
            // Nothing newer is there that it could take instead. What is required for an extra alone is tried, not used.
            GencodeFault::DirectDescriptors => {
                self.variable(IMPLEMENTATION) == Some("python")
                    || !distribution
                        .requires
                        .iter()
                        .any(|line| names_protobuf(line) && !line.contains("extra"))
            }
            // Some packages bring modules of several generators and choose by the runtime.
            _ => has_variants(&gencode.file) || self.allows_runtime(distribution),
        };
        (!is_out_of_reach).then_some((fault, gencode, installed))
    }

    /// Whether a distribution says within which limits it wants the runtime, and has it.
    fn allows_runtime(&self, distribution: &Distribution) -> bool {
        let bounded = |line: &&String| names_protobuf(line) && line.contains(['<', '>', '=', '~']);
        distribution.requires.iter().any(|line| bounded(&line))
            && !self
                .unmet(distribution)
                .iter()
                .any(|it| it.name == "protobuf")
    }
}

fn fault(gencode: &Gencode, generator: &Version, runtime: &Version) -> Option<GencodeFault> {
    let is_before = |release: &[u64]| *runtime < Version::new(release.iter().copied());
    if gencode.is_checked {
        if is_before(&[5, 26]) {
            return Some(GencodeFault::NoVersionCheck);
        }
        return (runtime < generator).then_some(GencodeFault::RuntimeOlder);
    }
    if *generator >= Version::new([3, 20]) {
        return is_before(&[3, 20]).then_some(GencodeFault::NoBuilder);
    }
    // A package is generated in one go: a few old files among newer ones are left over, and nothing imports them. One of
    // the 34 of coremltools 9.0 is; it converts and saves models with protobuf 6.33.6.
    let is_old = gencode.direct.is_some() && gencode.direct_count.saturating_mul(2) > gencode.count;
    let is_refused = is_old && !is_before(&[4]);
    is_refused.then_some(GencodeFault::DirectDescriptors)
}

fn names_protobuf(line: &str) -> bool {
    named_in(line).eq_ignore_ascii_case("protobuf")
}

/// Whether a file is one of several for different runtimes: `proto/v5/x_pb2.py`.
fn has_variants(file: &str) -> bool {
    file.split('/').any(|part| {
        let digits = part.strip_prefix('v').unwrap_or_default();
        !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
    })
}
