//! Keys and certificates. Keys come from the crypto provider's own chance, whatever the environment says.

use std::net::IpAddr;
use std::time::Duration;

use rcgen::string::{Ia5String, PrintableString};
use rcgen::{
    BasicConstraints, CertificateParams, DistinguishedName, DnType, DnValue, ExtendedKeyUsagePurpose, IsCa,
    Issuer, KeyPair, KeyUsagePurpose, RsaKeySize, SanType, SerialNumber,
};

use super::pem::{self, Block};
use super::{Done, Table, encoding};
use crate::environment::Environment;
use crate::fmt;
use crate::function::{Args, Fault};
use crate::value::{INT, LIST, Object, Operand, Type, Value};

const S: Type = Type::String;
const CERTIFICATE: Type = Type::Struct("sprig.certificate");

pub fn add(table: &mut Table<'_>) {
    table.pure("genPrivateKey", &[S], S, |args| private_key(args.text(0)));
    table.pure("buildCustomCert", &[S, S], CERTIFICATE, custom);
    table.outside("genCA", &[S, INT], CERTIFICATE, |environment, args| {
        authority(environment, args, &rsa(RsaKeySize::_2048)?)
    });
    table.outside("genCAWithKey", &[S, INT, S], CERTIFICATE, |environment, args| {
        authority(environment, args, &given(args.text(2))?)
    });
    table.outside("genSelfSignedCert", &[S, LIST, LIST, INT], CERTIFICATE, |environment, args| {
        self_signed(environment, args, &rsa(RsaKeySize::_2048)?)
    });
    table.outside("genSelfSignedCertWithKey", &[S, LIST, LIST, INT, S], CERTIFICATE, |environment, args| {
        self_signed(environment, args, &given(args.text(4))?)
    });
    table.outside("genSignedCert", &[S, LIST, LIST, INT, CERTIFICATE], CERTIFICATE, |environment, args| {
        signed(environment, args, &rsa(RsaKeySize::_2048)?)
    });
    table.outside(
        "genSignedCertWithKey",
        &[S, LIST, LIST, INT, CERTIFICATE, S],
        CERTIFICATE,
        |environment, args| signed(environment, args, &given(args.text(5))?),
    );
}

/// A certificate and its key, both as PEM.
#[derive(Clone)]
struct Certificate {
    cert: String,
    key: String,
}

impl Object for Certificate {
    fn go_type(&self) -> Type {
        CERTIFICATE
    }

    fn field(&self, name: &str) -> Option<Operand> {
        let text = match name {
            "Cert" => &self.cert,
            "Key" => &self.key,
            _ => return None,
        };
        Some(Operand::plain(Value::string(text.as_str())))
    }

    fn fields(&self) -> Vec<(&'static str, Operand)> {
        ["Cert", "Key"].into_iter().filter_map(|name| Some((name, self.field(name)?))).collect()
    }
}

fn failed(what: &str) -> impl Fn(rcgen::Error) -> Fault {
    move |error| Fault(format!("{what}: {error}"))
}

fn rsa(size: RsaKeySize) -> Result<Key, Fault> {
    let pair = KeyPair::generate_rsa_for(&rcgen::PKCS_RSA_SHA256, size)
        .map_err(failed("error generating rsa key"))?;
    let text = pem::key_text(&pair.serialize_der());
    Ok(Key { pair, text })
}

/// A key and how it is written.
struct Key {
    pair: KeyPair,
    text: String,
}

fn given(text: &[u8]) -> Result<Key, Fault> {
    parse_key(text).map_err(|Fault(error)| Fault(format!("parsing private key: {error}")))
}

fn parse_key(text: &[u8]) -> Result<Key, Fault> {
    let text = String::from_utf8_lossy(text);
    let Some(block) = Block::first(&text) else { return Err("no PEM data in input".into()) };
    if block.label != "PRIVATE KEY" && !block.label.ends_with(" PRIVATE KEY") {
        return Err(format!("no private key data in PEM block of type {}", block.label).into());
    }
    let pair = KeyPair::try_from(&block.content[..]).map_err(failed("decoding PEM"))?;
    let text = if block.label == "PRIVATE KEY" { pem::key_text(&block.content) } else { block.to_text() };
    Ok(Key { pair, text })
}

fn private_key(kind: &[u8]) -> Done {
    let algorithm = match kind {
        b"" | b"rsa" => return Ok(Value::string(rsa(RsaKeySize::_4096)?.text)),
        b"ecdsa" => &rcgen::PKCS_ECDSA_P256_SHA256,
        b"ed25519" => &rcgen::PKCS_ED25519,
        b"dsa" => return Err("keys of the type dsa cannot be made here".into()),
        other => return Ok(Value::string([b"Unknown type ", other].concat())),
    };
    let pair = KeyPair::generate_for(algorithm).map_err(failed("failed to generate private key"))?;
    Ok(Value::string(pem::key_text(&pair.serialize_der())))
}

fn custom(args: Args<'_>) -> Done {
    let decode = |index: usize, what: &str| {
        encoding::decoded(args.text(index)).map_err(|_| Fault(format!("unable to decode base64 {what}")))
    };
    let (cert, key) = (decode(0, "certificate")?, decode(1, "private key")?);
    let cert = String::from_utf8_lossy(&cert).into_owned();
    if Block::first(&cert).is_none() {
        return Err("unable to decode certificate".into());
    }
    parse_key(&key).map_err(|Fault(error)| Fault(format!("error parsing private key: {error}")))?;
    Ok(Value::object(Certificate { cert, key: String::from_utf8_lossy(&key).into_owned() }))
}

/// What all certificates have in common.
fn params(environment: &Environment, name: &[u8], days: i64) -> Result<CertificateParams, Fault> {
    let mut params = CertificateParams::default();
    let name = String::from_utf8_lossy(name).into_owned();
    let mut distinguished = DistinguishedName::new();
    let value = match PrintableString::try_from(name.as_str()) {
        Ok(printable) => DnValue::PrintableString(printable),
        Err(_) => DnValue::Utf8String(name),
    };
    distinguished.push(DnType::CommonName, value);
    params.distinguished_name = distinguished;
    let mut serial = [0; 16];
    environment.random(&mut serial);
    params.serial_number = Some(SerialNumber::from_slice(&serial));
    let seconds = |number: i64| Duration::from_secs(u64::try_from(number).unwrap_or(0));
    let end = environment.now.0.saturating_add(days.saturating_mul(86_400));
    if end > 253_402_300_799 {
        return Err(format!("a certificate cannot be valid for {days} days").into());
    }
    params.not_before = rcgen::date_time_ymd(1970, 1, 1) + seconds(environment.now.0);
    params.not_after = rcgen::date_time_ymd(1970, 1, 1) + seconds(end);
    params.is_ca = IsCa::ExplicitNoCa;
    params.key_usages = vec![KeyUsagePurpose::DigitalSignature, KeyUsagePurpose::KeyEncipherment];
    params.extended_key_usages =
        vec![ExtendedKeyUsagePurpose::ServerAuth, ExtendedKeyUsagePurpose::ClientAuth];
    Ok(params)
}

/// The same with the addresses and names of the arguments.
fn server_params(environment: &Environment, args: Args<'_>) -> Result<CertificateParams, Fault> {
    let mut params = params(environment, args.text(0), args.int(3))?;
    let text = |value: &Value, doing: &str| match value {
        Value::String(text) => Ok(text.to_string()),
        other => Err(Fault(format!("{doing}: {} is not a string", fmt::shown(other)))),
    };
    for name in args.value(2).elements().unwrap_or_default() {
        let name = text(&name, "error processing alternate dns name")?;
        let name = Ia5String::try_from(name).map_err(failed("error creating certificate"))?;
        params.subject_alt_names.push(SanType::DnsName(name));
    }
    for address in args.value(1).elements().unwrap_or_default() {
        let address = text(&address, "error parsing ip")?;
        let parsed: IpAddr = address.parse().map_err(|_| Fault(format!("error parsing ip: {address}")))?;
        params.subject_alt_names.push(SanType::IpAddress(parsed));
    }
    Ok(params)
}

fn finished(certificate: &rcgen::Certificate, key: &Key) -> Value {
    let block = Block { label: "CERTIFICATE".to_owned(), content: certificate.der().to_vec() };
    Value::object(Certificate { cert: block.to_text(), key: key.text.clone() })
}

fn authority(environment: &Environment, args: Args<'_>, key: &Key) -> Done {
    let mut params = params(environment, args.text(0), args.int(1))?;
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params.key_usages.push(KeyUsagePurpose::KeyCertSign);
    let made = params.self_signed(&key.pair).map_err(failed("error creating certificate"))?;
    Ok(finished(&made, key))
}

fn self_signed(environment: &Environment, args: Args<'_>, key: &Key) -> Done {
    let params = server_params(environment, args)?;
    let made = params.self_signed(&key.pair).map_err(failed("error creating certificate"))?;
    Ok(finished(&made, key))
}

fn signed(environment: &Environment, args: Args<'_>, key: &Key) -> Done {
    let authority = match args.value(4) {
        Value::Object(object) => match (object.field("Cert"), object.field("Key")) {
            (Some(cert), Some(key)) => (fmt::shown(&cert.value), fmt::shown(&key.value)),
            _ => return Err("unable to decode certificate".into()),
        },
        _ => return Err("unable to decode certificate".into()),
    };
    if Block::first(&authority.0).is_none() {
        return Err("unable to decode certificate".into());
    }
    let signer = parse_key(authority.1.as_bytes())
        .map_err(|Fault(error)| Fault(format!("error parsing private key: {error}")))?;
    let issuer = Issuer::from_ca_cert_pem(&authority.0, signer.pair)
        .map_err(failed("error parsing certificate: decodedSignerCert.Bytes"))?;
    let mut params = server_params(environment, args)?;
    params.use_authority_key_identifier_extension = true;
    let made = params.signed_by(&key.pair, &issuer).map_err(failed("error creating certificate"))?;
    Ok(finished(&made, key))
}
