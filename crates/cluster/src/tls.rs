//! Telling network failures apart: nobody there, somebody we do not trust, or a connection that broke.

use std::error::Error as StdError;
use std::io;

use crate::Error;

/// Sorts a failure of the transport into ours.
pub(crate) fn classify(url: &str, what: &str, error: &kube::Error) -> Error {
    match error {
        kube::Error::Auth(login) => {
            return Error::Login { message: towpath_failure::chain(login) };
        }
        kube::Error::InferConfig(config) => {
            return Error::Config { message: towpath_failure::chain(config) };
        }
        kube::Error::InferKubeconfig(config) => {
            return Error::Config { message: towpath_failure::chain(config) };
        }
        _ => {}
    }
    if let Some(problem) = find::<rustls::Error>(error) {
        return Error::Certificate { url: url.into(), message: certificate_message(problem) };
    }
    if let Some(problem) = find::<kube::client::AuthError>(error) {
        return Error::Login { message: towpath_failure::chain(problem) };
    }
    if let Some(problem) = find::<io::Error>(error) {
        let message = problem.to_string();
        return match problem.kind() {
            io::ErrorKind::ConnectionReset | io::ErrorKind::BrokenPipe | io::ErrorKind::UnexpectedEof => {
                Error::Broken { what: what.into(), message }
            }
            _ => Error::Unreachable { url: url.into(), message },
        };
    }
    Error::Broken { what: what.into(), message: innermost(error) }
}

fn certificate_message(problem: &rustls::Error) -> String {
    use rustls::CertificateError as C;
    let rustls::Error::InvalidCertificate(certificate) = problem else {
        return problem.to_string();
    };
    match certificate {
        C::Expired | C::ExpiredContext { .. } => format!("its certificate has expired ({problem})"),
        C::NotValidYet | C::NotValidYetContext { .. } => {
            format!("its certificate is not valid yet ({problem})")
        }
        C::UnknownIssuer => {
            "its certificate was issued by an authority that the kubeconfig does not name".into()
        }
        C::NotValidForName | C::NotValidForNameContext { .. } => {
            format!("its certificate is for another host name ({problem})")
        }
        _ => problem.to_string(),
    }
}

/// The first error of type `T` in the chain. An `io::Error` hides what it wraps from `source`, so it is opened.
fn find<'a, T: StdError + 'static>(error: &'a (dyn StdError + 'static)) -> Option<&'a T> {
    let mut current = Some(error);
    while let Some(this) = current {
        if let Some(found) = this.downcast_ref::<T>() {
            return Some(found);
        }
        let wrapped = this.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        if let Some(found) = wrapped.and_then(|inner| find::<T>(inner)) {
            return Some(found);
        }
        current = this.source();
    }
    None
}

fn innermost(error: &dyn StdError) -> String {
    let mut current = error;
    while let Some(inner) = current.source() {
        current = inner;
    }
    current.to_string()
}
