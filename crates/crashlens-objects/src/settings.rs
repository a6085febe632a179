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
    let is_anonymous = !any(
        variables,
        &[
            "AWS_ACCESS_KEY_ID",
            "AWS_SECRET_ACCESS_KEY",
            "AWS_WEB_IDENTITY_TOKEN_FILE",
            "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
            "AWS_CONTAINER_CREDENTIALS_FULL_URI",
            "AWS_METADATA_ENDPOINT",
        ],
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
    let has =
        |wanted: &dyn Fn(AzureConfigKey) -> bool| settings.iter().any(|(key, _)| wanted(*key));
    let is_emulated = has(&|key| key == AzureConfigKey::UseEmulator);
    if !is_emulated && !has(&|key| key == AzureConfigKey::AccountName) {
        return Err("AZURE_STORAGE_ACCOUNT_NAME is not set".to_owned());
    }
    let is_anonymous = !is_emulated && !has(&is_azure_credential);
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
                | AzureConfigKey::UseAzureCli,
            )
            | Err(_) => {}
            // That would run a program.
            Ok(AzureConfigKey::CredentialType) if value == "azure_cli" => {}
            Ok(key) => settings.push((key, value.to_owned())),
        }
    }
    settings
}

fn is_azure_credential(key: AzureConfigKey) -> bool {
    matches!(
        key,
        AzureConfigKey::AccessKey
            | AzureConfigKey::SasKey
            | AzureConfigKey::Token
            | AzureConfigKey::ClientSecret
            | AzureConfigKey::FederatedTokenFile
            | AzureConfigKey::MsiEndpoint
    )
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
