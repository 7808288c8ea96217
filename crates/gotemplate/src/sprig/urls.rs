//! URLs taken apart and put together, as Go's net/url does it.

use super::{Done, Table};
use crate::fmt::quote;
use crate::function::{Args, Fault};
use crate::value::{DICT, Text, Type, Value};

pub fn add(table: &mut Table<'_>) {
    table.pure("urlParse", &[Type::String], DICT, url_parse);
    table.pure("urlJoin", &[DICT], Type::String, url_join);
}

#[derive(Default)]
struct Url {
    scheme: String,
    opaque: String,
    user: Option<User>,
    host: String,
    path: Vec<u8>,
    raw_path: String,
    force_query: bool,
    query: String,
    fragment: Vec<u8>,
    raw_fragment: String,
}

struct User {
    name: Vec<u8>,
    password: Option<Vec<u8>>,
}

/// Where in a URL text stands: each place has characters of its own that need no escape.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Path,
    Host,
    UserPassword,
    Fragment,
}

fn url_parse(args: Args<'_>) -> Done {
    let text = String::from_utf8_lossy(args.text(0)).into_owned();
    let url = Url::parse(&text).map_err(|error| Fault(format!("unable to parse url: {error}")))?;
    let entry = |name: &str, value: Vec<u8>| (Text::from(name), Value::string(value));
    Ok(Value::map([
        entry("scheme", url.scheme.into_bytes()),
        entry("hostname", hostname(&url.host).to_owned().into_bytes()),
        entry("host", url.host.into_bytes()),
        entry("path", url.path),
        entry("query", url.query.into_bytes()),
        entry("opaque", url.opaque.into_bytes()),
        entry("fragment", url.fragment),
        entry("userinfo", url.user.map(|user| user.to_text()).unwrap_or_default()),
    ]))
}

fn url_join(args: Args<'_>) -> Done {
    let map = args.map(0);
    let part = |key: &str| match map.get(key.as_bytes()) {
        None => Ok(Vec::new()),
        Some(Value::String(text)) => Ok(text.to_vec()),
        Some(Value::Nil) => Err(Fault::from(super::NIL_POINTER)),
        Some(other) => Err(Fault(format!(
            "unable to parse {key} key, must be of type string, but {} found",
            other.kind()
        ))),
    };
    let text = |key: &str| part(key).map(|part| String::from_utf8_lossy(&part).into_owned());
    let mut url = Url {
        scheme: text("scheme")?,
        host: text("host")?,
        path: part("path")?,
        query: text("query")?,
        opaque: text("opaque")?,
        fragment: part("fragment")?,
        ..Url::default()
    };
    let user = text("userinfo")?;
    if !user.is_empty() {
        let with_user = Url::parse(&format!("proto://{user}@host"))
            .map_err(|error| Fault(format!("unable to parse userinfo in dict: {error}")))?;
        url.user = with_user.user;
    }
    Ok(Value::string(url.to_text()))
}

/// The host without its port and brackets.
fn hostname(host: &str) -> &str {
    let port = |port: &str| port.is_empty() || port.bytes().all(|byte| byte.is_ascii_digit());
    let bare = match host.rsplit_once(':') {
        Some((bare, after)) if port(after) => bare,
        _ => host,
    };
    bare.strip_prefix('[').and_then(|bare| bare.strip_suffix(']')).unwrap_or(bare)
}

impl User {
    fn to_text(&self) -> Vec<u8> {
        let name = escaped(&self.name, Place::UserPassword);
        match &self.password {
            Some(password) => [&name[..], b":", &escaped(password, Place::UserPassword)].concat(),
            None => name,
        }
    }
}

impl Url {
    fn parse(text: &str) -> Result<Self, String> {
        let failed = |error: String| format!("parse {}: {error}", quote::quoted(text.as_bytes()));
        let (before, fragment) = text.split_once('#').unwrap_or((text, ""));
        let mut url = Self::parse_reference(before)
            .map_err(|error| format!("parse {}: {error}", quote::quoted(before.as_bytes())))?;
        if !fragment.is_empty() {
            url.fragment = unescaped(fragment, Place::Fragment).map_err(failed)?;
            if escaped(&url.fragment, Place::Fragment) != fragment.as_bytes() {
                fragment.clone_into(&mut url.raw_fragment);
            }
        }
        Ok(url)
    }

    fn parse_reference(text: &str) -> Result<Self, String> {
        if text.bytes().any(|byte| byte < b' ' || byte == 0x7f) {
            return Err("net/url: invalid control character in URL".to_owned());
        }
        let mut url = Self::default();
        if text == "*" {
            url.path = b"*".to_vec();
            return Ok(url);
        }
        let (scheme, mut rest) = scheme(text)?;
        url.scheme = scheme.to_lowercase();
        if rest.ends_with('?') && rest.matches('?').count() == 1 {
            url.force_query = true;
            rest = rest.trim_end_matches('?');
        } else if let Some((before, query)) = rest.split_once('?') {
            query.clone_into(&mut url.query);
            rest = before;
        }
        if !rest.starts_with('/') {
            if !url.scheme.is_empty() {
                rest.clone_into(&mut url.opaque);
                return Ok(url);
            }
            let segment = rest.split('/').next().unwrap_or_default();
            if segment.contains(':') {
                return Err("first path segment in URL cannot contain colon".to_owned());
            }
        }
        let has_authority = !url.scheme.is_empty() || !rest.starts_with("///");
        if let Some(authority) = rest.strip_prefix("//").filter(|_| has_authority) {
            let end = authority.find('/').unwrap_or(authority.len());
            let (authority, path) = authority.split_at_checked(end).unwrap_or((authority, ""));
            (url.user, url.host) = parse_authority(authority)?;
            rest = path;
        }
        url.path = unescaped(rest, Place::Path)?;
        if escaped(&url.path, Place::Path) != rest.as_bytes() {
            rest.clone_into(&mut url.raw_path);
        }
        Ok(url)
    }

    fn to_text(&self) -> Vec<u8> {
        let mut out = Vec::new();
        let mut push = |part: &[u8]| out.extend_from_slice(part);
        if !self.scheme.is_empty() {
            push(self.scheme.as_bytes());
            push(b":");
        }
        if self.opaque.is_empty() {
            if !self.scheme.is_empty() || !self.host.is_empty() || self.user.is_some() {
                if !self.host.is_empty() || !self.path.is_empty() || self.user.is_some() {
                    push(b"//");
                }
                if let Some(user) = &self.user {
                    push(&user.to_text());
                    push(b"@");
                }
                push(&escaped(self.host.as_bytes(), Place::Host));
            }
            let path = if self.raw_path.is_empty() {
                escaped(&self.path, Place::Path)
            } else {
                self.raw_path.clone().into_bytes()
            };
            if !path.is_empty() && !path.starts_with(b"/") && !self.host.is_empty() {
                push(b"/");
            }
            let first = path.split(|byte| *byte == b'/').next().unwrap_or_default();
            let nothing_before = self.scheme.is_empty() && self.host.is_empty() && self.user.is_none();
            if nothing_before && first.contains(&b':') {
                push(b"./");
            }
            push(&path);
        } else {
            push(self.opaque.as_bytes());
        }
        if self.force_query || !self.query.is_empty() {
            push(b"?");
            push(self.query.as_bytes());
        }
        if !self.fragment.is_empty() {
            push(b"#");
            push(&escaped(&self.fragment, Place::Fragment));
        }
        out
    }
}

fn scheme(text: &str) -> Result<(&str, &str), String> {
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' => {}
            b'0'..=b'9' | b'+' | b'-' | b'.' if at > 0 => {}
            b':' if at == 0 => return Err("missing protocol scheme".to_owned()),
            b':' => {
                return Ok((text.get(..at).unwrap_or_default(), text.get(at + 1..).unwrap_or_default()));
            }
            _ => break,
        }
    }
    Ok(("", text))
}

fn parse_authority(authority: &str) -> Result<(Option<User>, String), String> {
    let Some((user, host)) = authority.rsplit_once('@') else {
        return Ok((None, parse_host(authority)?));
    };
    let host = parse_host(host)?;
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-._:~!$&'()*+,;=%@".contains(&byte);
    if !user.bytes().all(allowed) {
        return Err("net/url: invalid userinfo".to_owned());
    }
    let user = match user.split_once(':') {
        None => User { name: unescaped(user, Place::UserPassword)?, password: None },
        Some((name, password)) => User {
            name: unescaped(name, Place::UserPassword)?,
            password: Some(unescaped(password, Place::UserPassword)?),
        },
    };
    Ok((Some(user), host))
}

fn parse_host(host: &str) -> Result<String, String> {
    let port = match host.strip_prefix('[') {
        Some(_) => {
            let Some(end) = host.rfind(']') else { return Err("missing ']' in host".to_owned()) };
            host.get(end + 1..).unwrap_or_default()
        }
        None => host.rfind(':').and_then(|colon| host.get(colon..)).unwrap_or_default(),
    };
    let valid = match port.strip_prefix(':') {
        Some(digits) => digits.bytes().all(|byte| byte.is_ascii_digit()),
        None => port.is_empty(),
    };
    if !valid {
        return Err(format!("invalid port {} after host", quote::quoted(port.as_bytes())));
    }
    Ok(String::from_utf8_lossy(&unescaped(host, Place::Host)?).into_owned())
}

/// Whether a byte must be escaped in a place.
fn must_escape(byte: u8, place: Place) -> bool {
    match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => false,
        b'!' | b'$' | b'&' | b'\'' | b'(' | b')' | b'*' | b'+' | b',' | b';' | b'=' | b':' | b'[' | b']'
        | b'<' | b'>' | b'"'
            if place == Place::Host =>
        {
            false
        }
        b'$' | b'&' | b'+' | b',' | b'/' | b':' | b';' | b'=' | b'?' | b'@' => match place {
            Place::Path => byte == b'?',
            Place::UserPassword => matches!(byte, b'@' | b'/' | b'?' | b':'),
            Place::Fragment => false,
            Place::Host => true,
        },
        b'!' | b'(' | b')' | b'*' => place != Place::Fragment,
        _ => true,
    }
}

fn escaped(text: &[u8], place: Place) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    for byte in text {
        if must_escape(*byte, place) {
            out.extend(format!("%{byte:02X}").into_bytes());
        } else {
            out.push(*byte);
        }
    }
    out
}

fn unescaped(text: &str, place: Place) -> Result<Vec<u8>, String> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((byte, behind)) = rest.split_first() {
        if *byte != b'%' {
            if place == Place::Host && byte.is_ascii() && must_escape(*byte, place) {
                let shown = quote::quoted(&[*byte]);
                return Err(format!("invalid character {shown} in host name"));
            }
            out.push(*byte);
            rest = behind;
            continue;
        }
        let digits = behind.get(..2).and_then(|digits| str::from_utf8(digits).ok());
        let code = digits
            .filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()))
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        let Some(code) = code else {
            let shown = rest.get(..rest.len().min(3)).unwrap_or_default();
            return Err(format!("invalid URL escape {}", quote::quoted(shown)));
        };
        if place == Place::Host && code < 0x80 {
            let shown = rest.get(..3).unwrap_or_default();
            return Err(format!("invalid URL escape {}", quote::quoted(shown)));
        }
        out.push(code);
        rest = behind.get(2..).unwrap_or_default();
    }
    Ok(out)
}
