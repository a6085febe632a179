//! Modules that were built for another version: how that is seen, and what to do.

pub(super) mod kernels;
pub(super) mod pairs;
pub(super) mod symbols;

use crate::rule::{Remedy, Risk, Suspicion};

/// For what somebody else published.
pub(super) fn matching(package: &str) -> Remedy {
    let action = format!(
        "Install a version of {package} that was built for what is installed beside it; its release notes say for which."
    );
    Remedy::new(action).risk(Risk::Environment)
}

/// For an op of one's own.
pub(super) fn rebuild(suspicion: Suspicion) -> Suspicion {
    suspicion.remedy(
        Remedy::new("Build the op anew with the flags of the TensorFlow that is installed.")
            .command("g++ -std=c++17 -O2 -shared -fPIC op.cc -o op.so $(python -c 'import tensorflow as tf; print(*tf.sysconfig.get_compile_flags(), *tf.sysconfig.get_link_flags())')")
            .risk(Risk::Environment),
    )
}
