//! What is said of generated modules that cannot be imported.

use crate::survey::{Distribution, Gencode, GencodeFault};

/// Why it does not work, and what Python says.
pub(super) fn refusal(
    fault: GencodeFault,
    gencode: &Gencode,
    runtime: &Distribution,
) -> (String, String) {
    let (generator, version) = (&gencode.version, &runtime.version);
    match fault {
        GencodeFault::NoVersionCheck => (
            format!("its modules were generated for {generator} or later"),
            "ImportError: cannot import name 'runtime_version' from 'google.protobuf'".to_owned(),
        ),
        GencodeFault::RuntimeOlder => (
            format!("its modules were generated for {generator} or later"),
            format!(
                "VersionError: … gencode {generator} runtime {version}. Runtime version cannot be older than the linked gencode version."
            ),
        ),
        GencodeFault::NoBuilder => (
            "its modules were generated for 3.20 or later".to_owned(),
            "ImportError: cannot import name 'builder' from 'google.protobuf.internal'".to_owned(),
        ),
        GencodeFault::DirectDescriptors => (
            "its modules were generated before 3.19".to_owned(),
            "TypeError: Descriptors cannot be created directly.".to_owned(),
        ),
    }
}

/// Of which generator it is, and how that is known.
pub(super) fn generator(fault: GencodeFault, gencode: &Gencode) -> String {
    match fault {
        GencodeFault::NoVersionCheck | GencodeFault::RuntimeOlder => {
            format!("of version {}, which the file names", gencode.version)
        }
        GencodeFault::NoBuilder => "of 3.20 or later, as it uses builder".to_owned(),
        GencodeFault::DirectDescriptors => {
            "before 3.19, as it makes its descriptors one by one".to_owned()
        }
    }
}
