//! The Keras that is to read a model.

use pep440_rs::Version;

use crate::files::Setting;

/// Major version of the Keras that is to read it.
pub(super) fn reader(setting: &Setting) -> Option<u64> {
    let environment = setting.environment.as_ref()?;
    major(&environment.version_of("keras")?)
}

pub(super) fn major(version: &Version) -> Option<u64> {
    version.release().first().copied()
}
