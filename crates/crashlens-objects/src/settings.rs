//! How a store is reached: the variables of the environment that its own tools read.
//!
//! Credentials come from these variables, from the file they name, or from where `gcloud` keeps its own. Where there are
//! none a bucket is read as anybody may. The metadata service of a machine is asked only where a variable names it, and
//! no program is run for a token.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use object_store::ClientOptions;
use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey};
use object_store::azure::{AzureConfigKey, MicrosoftAzureBuilder};
use object_store::gcp::{GoogleCloudStorageBuilder, GoogleConfigKey};

use crate::bucket::Bucket;
use crate::client::{Connector, retries};
use crate::place::Scheme;

/// Where `gcloud auth application-default login` leaves what it was given.
const GOOGLE_LOGIN: &str = ".config/gcloud/application_default_credentials.json";

/// The variables of the environment, as far as they are text.
pub(crate) type Variables = BTreeMap<String, String>;

/// Makes ready to ask for a bucket. What fails is said in words that repeat no value.
pub(crate) fn connect(
    scheme: Scheme,
    bucket: &str,
    variables: &Variables,
) -> Result<Bucket, String> {
    match scheme {
        Scheme::S3 => amazon(bucket, variables),
        Scheme::Gs => google(bucket, variables),
        Scheme::Az => azure(bucket, variables),
    }
}

fn amazon(bucket: &str, variables: &Variables) -> Result<Bucket, String> {
    // Half of such a pair would send the client to the metadata service of the machine.
    let both = |one, other| any(variables, &[one]) && any(variables, &[other]);
    let is_anonymous = !any(
        variables,
        &[
            "AWS_ACCESS_KEY_ID",
            "AWS_SECRET_ACCESS_KEY",
            "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
            "AWS_METADATA_ENDPOINT",
        ],
    ) && !both("AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_ROLE_ARN")
        && !both(
            "AWS_CONTAINER_CREDENTIALS_FULL_URI",
            "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE",
        );
    let endpoint = first(
        variables,
        &["AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", "AWS_ENDPOINT"],
    );
    let mut builder = AmazonS3Builder::new();
    for (name, value) in with_prefix(variables, "AWS_") {
        match name.parse() {
            Ok(AmazonS3ConfigKey::Client(_) | AmazonS3ConfigKey::Bucket) | Err(_) => {}
            Ok(key) => builder = builder.with_config(key, value),
        }
    }
    if is_anonymous {
        builder = builder.with_skip_signature(true);
    }
    let store = builder
        .with_bucket_name(bucket)
        .with_client_options(options(endpoint))
        .with_http_connector(Connector)
        .with_retry(retries())
        .build()
        .map_err(|_| {
            "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY must both be set, and the other variables \
             AWS_… be ones that can be used"
                .to_owned()
        })?;
    Ok(Bucket::new(Arc::new(store), is_anonymous))
}

fn google(bucket: &str, variables: &Variables) -> Result<Bucket, String> {
    let logged_in = || {
        let home = variables.get("HOME");
        home.is_some_and(|home| Path::new(home).join(GOOGLE_LOGIN).is_file())
    };
    let is_anonymous = !any(
        variables,
        &[
            "SERVICE_ACCOUNT",
            "GOOGLE_SERVICE_ACCOUNT",
            "GOOGLE_SERVICE_ACCOUNT_PATH",
            "GOOGLE_SERVICE_ACCOUNT_KEY",
            "GOOGLE_APPLICATION_CREDENTIALS",
            "GOOGLE_BEARER_TOKEN",
            "GCE_METADATA_HOST",
            "GCE_METADATA_ROOT",
        ],
    ) && !logged_in();
    let emulator = first(variables, &["STORAGE_EMULATOR_HOST"]).map(with_scheme);
    let endpoint = first(variables, &["GOOGLE_BASE_URL"]).map(str::to_owned);
    let endpoint = endpoint.or(emulator);
    let mut builder = GoogleCloudStorageBuilder::new();
    if let Some(path) = variables.get("SERVICE_ACCOUNT") {
        builder = builder.with_service_account_path(path);
    }
    for (name, value) in with_prefix(variables, "GOOGLE_") {
        match name.parse() {
            Ok(GoogleConfigKey::Client(_) | GoogleConfigKey::Bucket) | Err(_) => {}
            Ok(key) => builder = builder.with_config(key, value),
        }
    }
    if let Some(endpoint) = &endpoint {
        builder = builder.with_config(GoogleConfigKey::BaseUrl, endpoint.trim_end_matches('/'));
    }
    if is_anonymous {
        builder = builder.with_skip_signature(true);
    }
    let store = builder
        .with_bucket_name(bucket)
        .with_client_options(options(endpoint.as_deref()))
        .with_http_connector(Connector)
        .with_retry(retries())
        .build()
        .map_err(|_| {
            "the credentials that GOOGLE_APPLICATION_CREDENTIALS or GOOGLE_SERVICE_ACCOUNT names cannot be used"
                .to_owned()
        })?;
    Ok(Bucket::new(Arc::new(store), is_anonymous))
}

fn azure(container: &str, variables: &Variables) -> Result<Bucket, String> {
    let settings = azure_settings(variables);
    let has = |wanted| settings.iter().any(|(key, _)| *key == wanted);
    let is_emulated = settings.iter().any(|(key, value)| {
        *key == AzureConfigKey::UseEmulator && matches!(value.as_str(), "1" | "true" | "True")
    });
    if !is_emulated && !has(AzureConfigKey::AccountName) {
        return Err("AZURE_STORAGE_ACCOUNT_NAME is not set".to_owned());
    }
    let is_anonymous = !is_emulated && !has_azure_credential(&settings);
    let mut endpoints = settings
        .iter()
        .filter(|(key, _)| *key == AzureConfigKey::Endpoint);
    let endpoint = endpoints.next_back().map(|(_, value)| value.as_str());
    let mut builder = MicrosoftAzureBuilder::new();
    for (key, value) in &settings {
        builder = builder.with_config(*key, value);
    }
    if is_anonymous {
        builder = builder.with_skip_signature(true);
    }
    let store = builder
        .with_container_name(container)
        .with_client_options(options(endpoint))
        .with_http_connector(Connector)
        .with_retry(retries())
        .build()
        .map_err(|_| "the variables AZURE_… cannot be used as they are".to_owned())?;
    Ok(Bucket::new(Arc::new(store), is_anonymous))
}

/// What the variables say; later ones win.
fn azure_settings(variables: &Variables) -> Vec<(AzureConfigKey, String)> {
    let mut settings = Vec::new();
    for (name, key) in [
        ("AZURE_STORAGE_ACCOUNT", AzureConfigKey::AccountName),
        ("AZURE_STORAGE_KEY", AzureConfigKey::AccessKey),
        ("IDENTITY_ENDPOINT", AzureConfigKey::MsiEndpoint),
    ] {
        settings.extend(first(variables, &[name]).map(|value| (key, value.to_owned())));
    }
    if let Some(text) = variables.get("AZURE_STORAGE_CONNECTION_STRING") {
        settings.extend(connection_string(text));
    }
    for (name, value) in with_prefix(variables, "AZURE_") {
        match name.parse() {
            Ok(
                AzureConfigKey::Client(_)
                | AzureConfigKey::ContainerName
                // These would run a program, or ask the metadata service unnamed.
                | AzureConfigKey::UseAzureCli
                | AzureConfigKey::CredentialType,
            )
            | Err(_) => {}
            Ok(key) => settings.push((key, value.to_owned())),
        }
    }
    settings
}

/// Whether there is a whole credential: half of one would send the client to the metadata service of the machine.
fn has_azure_credential(settings: &[(AzureConfigKey, String)]) -> bool {
    let has = |wanted| settings.iter().any(|(key, _)| *key == wanted);
    let is_named = has(AzureConfigKey::ClientId) && has(AzureConfigKey::AuthorityId);
    has(AzureConfigKey::AccessKey)
        || has(AzureConfigKey::SasKey)
        || has(AzureConfigKey::Token)
        || has(AzureConfigKey::MsiEndpoint)
        || is_named && has(AzureConfigKey::ClientSecret)
        || is_named && has(AzureConfigKey::FederatedTokenFile)
}

/// `AccountName=…;AccountKey=…;BlobEndpoint=…`, as the portal shows it.
fn connection_string(text: &str) -> Vec<(AzureConfigKey, String)> {
    let parts = text.split(';').filter_map(|part| part.split_once('='));
    parts
        .filter_map(|(name, value)| {
            let key = match name {
                "AccountName" => AzureConfigKey::AccountName,
                "AccountKey" => AzureConfigKey::AccessKey,
                "BlobEndpoint" => AzureConfigKey::Endpoint,
                "SharedAccessSignature" => AzureConfigKey::SasKey,
                _ => return None,
            };
            Some((key, value.to_owned()))
        })
        .collect()
}

/// Plain text goes over the wire only where the endpoint was named so.
fn options(endpoint: Option<&str>) -> ClientOptions {
    let is_plain = endpoint.is_some_and(|it| it.to_ascii_lowercase().starts_with("http://"));
    ClientOptions::new().with_allow_http(is_plain)
}

fn with_scheme(host: &str) -> String {
    if host.contains("://") {
        host.to_owned()
    } else {
        format!("http://{host}")
    }
}

fn any(variables: &Variables, names: &[&str]) -> bool {
    first(variables, names).is_some()
}

/// An empty variable is as good as none.
fn first<'a>(variables: &'a Variables, names: &[&str]) -> Option<&'a str> {
    let mut values = names.iter().filter_map(|name| variables.get(*name));
    values.find(|value| !value.is_empty()).map(String::as_str)
}

fn with_prefix<'a>(
    variables: &'a Variables,
    prefix: &'static str,
) -> impl Iterator<Item = (String, &'a str)> {
    variables
        .iter()
        .filter(move |(name, value)| name.starts_with(prefix) && !value.is_empty())
        .map(|(name, value)| (name.to_ascii_lowercase(), value.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(pairs: &[(&str, &str)]) -> Variables {
        let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        pairs.iter().map(owned).collect()
    }

    #[test]
    fn plain_text_is_spoken_only_to_an_endpoint_that_was_named_so() {
        let allows = |endpoint| {
            let options = options(endpoint);
            options.get_config_value(&object_store::ClientConfigKey::AllowHttp)
        };
        assert_eq!(
            allows(Some("http://127.0.0.1:9000")).as_deref(),
            Some("true")
        );
        assert_eq!(
            allows(Some("https://example.org")).as_deref(),
            Some("false")
        );
        assert_eq!(allows(None).as_deref(), Some("false"));
    }

    #[test]
    fn half_a_credential_is_none() {
        let azure = |pairs: &[(&str, &str)]| has_azure_credential(&azure_settings(&of(pairs)));
        assert!(!azure(&[("AZURE_CLIENT_SECRET", "x")]));
        assert!(azure(&[
            ("AZURE_CLIENT_SECRET", "x"),
            ("AZURE_CLIENT_ID", "y"),
            ("AZURE_TENANT_ID", "z")
        ]));
        let amazon = |pairs: &[(&str, &str)]| {
            let bucket = amazon("b", &of(pairs));
            bucket.map(|bucket| bucket.is_anonymous)
        };
        assert_eq!(amazon(&[("AWS_WEB_IDENTITY_TOKEN_FILE", "/x")]), Ok(true));
        assert_eq!(amazon(&[("AWS_ALLOW_HTTP", "true")]), Ok(true));
        assert!(amazon(&[("AWS_ACCESS_KEY_ID", "x")]).is_err());
    }

    #[test]
    fn a_connection_string_is_taken_apart() {
        let text = "DefaultEndpointsProtocol=https;AccountName=ada;AccountKey=a2V5PT0=;BlobEndpoint=http://h/ada;";
        let settings = connection_string(text);
        assert_eq!(settings[0], (AzureConfigKey::AccountName, "ada".to_owned()));
        assert_eq!(
            settings[1],
            (AzureConfigKey::AccessKey, "a2V5PT0=".to_owned())
        );
        assert_eq!(settings[2].1, "http://h/ada");
    }

    #[test]
    fn an_emulator_may_be_named_without_a_scheme() {
        assert_eq!(with_scheme("localhost:4443"), "http://localhost:4443");
        assert_eq!(with_scheme("https://h"), "https://h");
    }
}
