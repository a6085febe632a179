//! Where to get a newer library, or what asks for less.

use crate::remedy::{Pip, ShellLine};
use crate::rule::{Remedy, Risk};
use crate::shell;
use crate::survey::{MissingVersion, NativeFile};

/// A newer library, or an older package.
pub(super) fn of(file: &NativeFile, need: &MissingVersion) -> Vec<Remedy> {
    let (kind, _) = need.version.split_once('_').unwrap_or_default();
    let newer = match kind {
        "GLIBC" => Remedy::new(
            "Use a newer distribution or container image: the C library cannot be exchanged alone.",
        ),
        "GLIBCXX" | "CXXABI" => {
            Remedy::new("Install a newer C++ library; conda's needs no change of the system.")
                .command(ShellLine::anywhere(
                    "conda install -c conda-forge libstdcxx-ng",
                ))
        }
        // Any library may number its functions: libcrypto has OPENSSL_3.4.0.
        _ => Remedy::new(format!(
            "Install a newer {}, one that has {}.",
            need.library, need.version
        )),
    };
    let newer = newer.risk(Risk::Environment);
    std::iter::once(newer).chain(older(file)).collect()
}

/// An older version of the package asks for less.
fn older(file: &NativeFile) -> Option<Remedy> {
    let package = file.package.as_ref()?;
    let name = shell::package(&package.name)?;
    let version: pep440_rs::Version = package.version.parse().ok()?;
    let action = format!("Install a version of {name} that was built for older systems.");
    let command = Pip::install([format!("{name}<{version}")])?.with("--only-binary :all:");
    Some(Remedy::new(action).command(command).risk(Risk::Environment))
}
