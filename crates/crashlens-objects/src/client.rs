//! The HTTP client: what it connects to, and how long it waits.

use std::time::Duration;

use object_store::client::{HttpClient, HttpConnector};
use object_store::{BackoffConfig, ClientConfigKey, ClientOptions, Error, RetryConfig};
use reqwest::redirect;

/// To get through to a store.
const CONNECT: Duration = Duration::from_secs(10);
/// Without another byte.
const SILENCE: Duration = Duration::from_secs(30);
const RETRIES: usize = 4;
const LONGEST_PAUSE: Duration = Duration::from_secs(5);
/// No further attempt after this.
const TRYING: Duration = Duration::from_mins(1);

/// Makes clients that go to the store they are for, and nowhere else.
#[derive(Debug)]
pub(crate) struct Connector;

impl HttpConnector for Connector {
    fn connect(&self, options: &ClientOptions) -> object_store::Result<HttpClient> {
        // A second call finds it set, which is as good.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let asked = options.get_config_value(&ClientConfigKey::AllowHttp);
        let allows_plain_text = asked.as_deref() == Some("true");
        let client = reqwest::Client::builder()
            .user_agent(concat!("crashlens/", env!("CARGO_PKG_VERSION")))
            .redirect(redirect::Policy::none())
            .https_only(!allows_plain_text)
            .connect_timeout(CONNECT)
            .read_timeout(SILENCE)
            .build();
        client.map(HttpClient::new).map_err(|error| Error::Generic {
            store: "client",
            source: Box::new(error),
        })
    }
}

/// How often and how long a request is tried.
pub(crate) fn retries() -> RetryConfig {
    RetryConfig {
        backoff: BackoffConfig {
            init_backoff: Duration::from_millis(100),
            max_backoff: LONGEST_PAUSE,
            base: 2.0,
        },
        max_retries: RETRIES,
        retry_timeout: TRYING,
    }
}
