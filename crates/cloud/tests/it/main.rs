//! Every cloud, through a proxy and TLS, with credentials from every place where they may be.

mod aws;
mod others;
mod sops;
mod support;
