//! What a path in object storage names: scheme, bucket, key.

use thiserror::Error;

/// Which protocol a store speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scheme {
    /// Amazon S3 and the many that speak as it does.
    S3,
    /// Google Cloud Storage.
    Gs,
    /// Azure Blob Storage.
    Az,
}

/// A path taken apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// Of `s3://`, `gs://`, `az://`.
    pub scheme: Scheme,
    /// The bucket or container.
    pub bucket: String,
    /// The object or folder in it, without slashes at the ends; empty for the bucket itself.
    pub key: String,
}

/// Why a path names nothing.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum PlaceError {
    /// It has none of the schemes.
    #[error("it is no path in object storage")]
    OtherScheme,
    /// It would put a secret into every report.
    #[error(
        "user names and keys do not belong in a path, where every report shows them: set the variables of the \
         environment instead"
    )]
    HasCredential,
    /// Its bucket is not one.
    #[error("it has no name of a bucket behind ://")]
    NoBucket,
}

impl Scheme {
    /// As it stands at the beginning of a path.
    pub fn prefix(self) -> &'static str {
        match self {
            Self::S3 => "s3://",
            Self::Gs => "gs://",
            Self::Az => "az://",
        }
    }

    /// The scheme of a path, where it is in object storage.
    pub fn of(path: &str) -> Option<Self> {
        [Self::S3, Self::Gs, Self::Az]
            .into_iter()
            .find(|scheme| path.starts_with(scheme.prefix()))
    }
}

impl Place {
    /// Takes a path apart.
    pub fn parse(path: &str) -> Result<Self, PlaceError> {
        let scheme = Scheme::of(path).ok_or(PlaceError::OtherScheme)?;
        let rest = path.strip_prefix(scheme.prefix()).unwrap_or_default();
        let (bucket, key) = rest.split_once('/').unwrap_or((rest, ""));
        if bucket.contains(['@', ':']) {
            return Err(PlaceError::HasCredential);
        }
        // `$web` and `$root` are containers of Azure.
        let is_letter =
            |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_' | b'$');
        if bucket.is_empty() || !bucket.bytes().all(is_letter) {
            return Err(PlaceError::NoBucket);
        }
        Ok(Self {
            scheme,
            bucket: bucket.to_owned(),
            key: key.trim_matches('/').to_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_scheme_bucket_and_key() {
        let place = Place::parse("gs://my-bucket/train/a b.jpg").unwrap();
        assert_eq!(place.scheme, Scheme::Gs);
        assert_eq!(place.bucket, "my-bucket");
        assert_eq!(place.key, "train/a b.jpg");
        assert_eq!(Place::parse("s3://b").unwrap().key, "");
        assert_eq!(Place::parse("az://b/folder/").unwrap().key, "folder");
    }

    #[test]
    fn a_secret_in_a_path_is_refused_and_not_repeated() {
        let error = Place::parse("s3://AKIAKEY:hunter2@bucket/key").unwrap_err();
        assert_eq!(error, PlaceError::HasCredential);
        assert!(!error.to_string().contains("hunter2"));
    }

    #[test]
    fn paths_without_a_bucket_or_of_other_kinds_are_told_apart() {
        assert_eq!(Place::parse("s3://"), Err(PlaceError::NoBucket));
        assert_eq!(Place::parse("s3://*/a"), Err(PlaceError::NoBucket));
        assert_eq!(Place::parse("/data/a.jpg"), Err(PlaceError::OtherScheme));
    }
}
