//! The HTTP client under a cluster: kube's own layers (address, credentials, headers) on connections of ours.

use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use kube::client::{Body, ConfigExt as _};
use tower::ServiceBuilder;

type Error = Box<dyn std::error::Error + Send + Sync>;

/// kube leaves Nagle's algorithm on, which holds back the first request of each resumed connection for 40 ms, until the
/// server's delayed acknowledgement of the handshake. Connections through a proxy are kube's own: there it matters less.
pub(crate) fn client(config: kube::Config) -> Result<kube::Client, kube::Error> {
    if config.proxy_url.is_some() {
        return kube::Client::try_from(config);
    }
    if rustls::crypto::CryptoProvider::get_default().is_none() {
        // The only error is that somebody else was faster, which is as good.
        let _ = rustls::crypto::aws_lc_rs::default_provider().install_default();
    }
    let mut tcp = HttpConnector::new();
    tcp.enforce_http(false);
    tcp.set_nodelay(true);
    tcp.set_connect_timeout(config.connect_timeout);
    let connector = config.rustls_https_connector_with_connector(tcp)?;
    let connections: Client<_, Body> = Client::builder(TokioExecutor::new()).build(connector);
    let service = ServiceBuilder::new()
        .layer(config.base_uri_layer())
        .option_layer(config.auth_layer()?)
        .layer(config.extra_headers_layer()?)
        .map_err(Error::from)
        .service(connections);
    Ok(kube::Client::new(service, config.default_namespace))
}
