//! A certificate authority of our own: server and client certificates for tests.

use anyhow::{Context as _, Result, bail};
use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair,
    KeyUsagePurpose,
};

/// The numbers of `organizationName`, see [`Authority::client`].
const ORGANIZATION: [u64; 4] = [2, 5, 4, 10];

/// A certificate with its private key, both as PEM.
#[derive(Clone, Debug)]
pub struct Identity {
    /// The certificate.
    pub certificate: String,
    /// Its key.
    pub key: String,
}

/// How long a certificate holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Validity {
    /// Until long after the test.
    Valid,
    /// It ended in the year 2020.
    Expired,
}

/// A certificate authority that exists for the length of a test.
#[derive(Debug)]
pub struct Authority {
    issuer: Issuer<'static, KeyPair>,
    certificate: String,
}

impl Authority {
    /// Makes one.
    pub fn new() -> Result<Self> {
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::DigitalSignature];
        params.distinguished_name.push(DnType::CommonName, "towpath-testkit");
        let key = KeyPair::generate().context("make the authority's key")?;
        let certificate = params.self_signed(&key).context("sign the authority's certificate")?.pem();
        Ok(Self { issuer: Issuer::new(params, key), certificate })
    }

    /// Its own certificate, as PEM.
    pub fn certificate(&self) -> &str {
        &self.certificate
    }

    /// A certificate for a server that is known by these names and addresses.
    pub fn server(&self, names: &[&str], validity: Validity) -> Result<Identity> {
        let names: Vec<String> = names.iter().map(ToString::to_string).collect();
        let common_name = names.first().cloned().unwrap_or_default();
        let mut params = CertificateParams::new(names).context("read the server's names")?;
        params.distinguished_name.push(DnType::CommonName, common_name);
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        self.sign(params, validity)
    }

    /// A certificate that Kubernetes takes for this user in these groups: one or two, because a certificate
    /// maker that knows a subject's attribute only once gives us the organization by name and by number.
    pub fn client(&self, user: &str, groups: &[&str], validity: Validity) -> Result<Identity> {
        let mut params = CertificateParams::default();
        params.distinguished_name.push(DnType::CommonName, user);
        let kinds = [DnType::OrganizationName, DnType::CustomDnType(ORGANIZATION.to_vec())];
        if groups.len() > kinds.len() {
            bail!("{user}: a client certificate holds at most {} groups", kinds.len());
        }
        for (kind, group) in kinds.into_iter().zip(groups) {
            params.distinguished_name.push(kind, *group);
        }
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ClientAuth];
        self.sign(params, validity)
    }

    fn sign(&self, mut params: CertificateParams, validity: Validity) -> Result<Identity> {
        params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        if validity == Validity::Expired {
            params.not_before = rcgen::date_time_ymd(2019, 1, 1);
            params.not_after = rcgen::date_time_ymd(2020, 1, 1);
        }
        let key = KeyPair::generate().context("make a key")?;
        let certificate = params.signed_by(&key, &self.issuer).context("sign a certificate")?;
        Ok(Identity { certificate: certificate.pem(), key: key.serialize_pem() })
    }
}
