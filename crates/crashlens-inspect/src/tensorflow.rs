//! What is special to the TensorFlow that is installed.

use crashlens_core::survey::TensorflowTraits;
use crashlens_core::{Gaps, Observed};

use crate::site::Installed;

/// Traits of the TensorFlow in the folders of packages; absent where there is none.
pub(crate) fn traits(_installed: &Installed, _gaps: &mut Gaps) -> Observed<TensorflowTraits> {
    Observed::Absent
}
