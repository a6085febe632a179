//! Why supervision failed.

/// Why supervision failed.
#[derive(Debug, thiserror::Error)]
pub enum SuperviseError {
    /// Not written yet.
    #[error("not supported yet")]
    Unsupported,
}
