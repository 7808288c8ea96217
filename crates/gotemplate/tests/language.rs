//! The language as a whole: what templates print, what they say when they fail, and where they are stopped.

use std::sync::Arc;

use proptest::prelude::*;
use towpath_gotemplate::{Environment, MissingKey, Run, Templates, Text, Value, sprig};

fn render(text: &str, dot: Value) -> Result<String, String> {
    let mut templates = Templates::new(Arc::new(sprig::functions()));
    templates.missing_key = MissingKey::Zero;
    templates.parse("t", text.as_bytes()).map_err(|error| error.to_string())?;
    let environment = Environment::fixed((1_700_000_000, 0), 7);
    let printed = templates.execute("t", dot, &mut Run::new(&environment, &mut ()));
    printed.map(|text| String::from_utf8_lossy(&text).into_owned()).map_err(|error| error.to_string())
}

fn data() -> Value {
    let inner = Value::map([(Text::from("b"), Value::Float(1.0))]);
    Value::map([
        (Text::from("a"), inner),
        (Text::from("s"), Value::string("text")),
        (Text::from("l"), Value::list(vec![Value::Float(1.0), Value::string("x"), Value::Nil])),
    ])
}

#[test]
fn what_a_chart_writes_is_what_go_prints() {
    for (text, expected) in [
        ("{{ .a.b }} {{ .s | upper | quote }}", "1 \"TEXT\""),
        ("{{ ((.none).x) | default \"d\" }}", "d"),
        ("{{ range $i, $v := .l }}{{ $i }}={{ $v }};{{ end }}", "0=1;1=x;2=<no value>;"),
        ("{{ $d := dict \"k\" 1 }}{{ $_ := set $d \"k\" 2 }}{{ $d.k }}", "2"),
        ("{{ define \"x\" }}<{{ . }}>{{ end }}{{ template \"x\" .s }}", "<text>"),
        ("a\n{{- /* gone */ -}}\n b", "ab"),
        ("{{ printf \"%05.2f|%-4s|%q\" 3.14159 \"ab\" \"c\" }}", "03.14|ab  |\"c\""),
        ("{{ range 3 }}{{ if eq . 1 }}{{ continue }}{{ end }}{{ . }}{{ end }}", "02"),
        (
            "{{ semverCompare \"^1.2.0\" \"1.9.0\" }}{{ regexReplaceAll \"(a+)\" \"baab\" \"<$1>\" }}",
            "trueb<aa>b",
        ),
        ("{{ now | date \"2006-01-02\" }} {{ randAlphaNum 5 | len }}", "2023-11-14 5"),
    ] {
        assert_eq!(render(text, data()), Ok(expected.to_owned()), "{text}");
    }
}

#[test]
fn errors_are_gos_own() {
    for (text, expected) in [
        (
            "{{ .none.x }}",
            "template: t:1:8: executing \"t\" at <.none.x>: nil pointer evaluating interface {}.x",
        ),
        ("\n {{ fail \"no\" }}", "template: t:2:4: executing \"t\" at <fail \"no\">: error calling fail: no"),
        (
            "{{ upper .a }}",
            "template: t:1:9: executing \"t\" at <.a>: wrong type for value; expected string; \
             got map[string]interface {}",
        ),
        ("{{ nofunc }}", "template: t:1: function \"nofunc\" not defined"),
        ("{{ if .a }}", "template: t:1: unexpected EOF"),
        ("{{ .a", "template: t:1: unclosed action"),
    ] {
        assert_eq!(render(text, data()), Err(expected.to_owned()), "{text}");
    }
}

#[test]
fn the_same_seed_gives_the_same_text() {
    let text = "{{ randAlphaNum 20 }} {{ uuidv4 }} {{ shuffle \"abcdef\" }}";
    assert_eq!(render(text, Value::Nil), render(text, Value::Nil));
}

#[test]
fn endless_templates_end() {
    let recursion = render("{{ define \"x\" }}{{ template \"x\" }}{{ end }}{{ template \"x\" }}", Value::Nil);
    assert!(recursion.is_err_and(|error| error.ends_with("exceeded maximum template depth (100000)")));
    let large = render("{{ repeat 999999999 \"xxxxxxxxxx\" }}", Value::Nil);
    assert!(large.is_err_and(|error| error.contains("larger than")));
    let long = render("{{ until 9999999999 }}", Value::Nil);
    assert!(long.is_err_and(|error| error.contains("larger than")));
}

#[test]
fn a_run_has_a_budget() {
    let mut templates = Templates::default();
    templates.parse("t", b"{{ range 100000000 }}x{{ end }}").expect("a template");
    let environment = Environment::fixed((0, 0), 1);
    let mut host = ();
    let mut run = Run::new(&environment, &mut host);
    run.limits.output = 1000;
    let error = templates.execute("t", Value::Nil, &mut run).unwrap_err();
    assert!(error.to_string().ends_with("exceeded the limit of 1000 bytes"), "{error}");
}

#[test]
fn a_map_within_itself_is_printed_to_an_end() {
    let text = render("{{ $d := dict }}{{ $_ := set $d \"d\" $d }}{{ print $d | len | lt 10 }}", Value::Nil);
    assert_eq!(text, Ok("true".to_owned()));
}

#[test]
fn certificates_sign_each_other() {
    let text = "{{ $ca := genCA \"authority\" 10 }}{{ $c := genSignedCert \"host\" (list \"10.0.0.1\") (list \"a.b\") 5 $ca }}\
                {{ hasPrefix \"-----BEGIN CERTIFICATE-----\\n\" $c.Cert }} {{ hasPrefix \"-----BEGIN RSA PRIVATE KEY-----\\n\" $c.Key }} \
                {{ $again := buildCustomCert (b64enc $c.Cert) (b64enc $c.Key) }}{{ eq $again.Key $c.Key }} \
                {{ genPrivateKey \"ecdsa\" | contains \"EC PRIVATE KEY\" }}";
    assert_eq!(render(text, Value::Nil), Ok("true true true true".to_owned()));
    let wrong = render("{{ genSelfSignedCert \"x\" (list \"no\") nil 1 }}", Value::Nil);
    assert!(
        wrong.is_err_and(|error| error.ends_with("error calling genSelfSignedCert: error parsing ip: no"))
    );
}

#[test]
fn encrypted_text_can_be_read_again() {
    let text = "{{ encryptAES \"secret\" \"plain text\" | decryptAES \"secret\" }}";
    assert_eq!(render(text, Value::Nil), Ok("plain text".to_owned()));
    let password = "{{ derivePassword 1 \"long\" \"password\" \"user\" \"example.com\" | len }}";
    assert_eq!(render(password, Value::Nil), Ok("14".to_owned()));
    assert!(render("{{ htpasswd \"u\" \"p\" }}", Value::Nil).is_ok_and(|text| text.starts_with("u:$2a$10$")));
}

#[test]
fn templates_are_shared_between_threads() {
    fn shared<T: Send + Sync>(_: &T) {}
    shared(&Templates::new(Arc::new(sprig::functions())));
}

proptest! {
    #[test]
    fn nothing_panics(text in "[{}.$a-c0-9|() \"`:=,/*\n-]{0,40}") {
        let _ = render(&text, data());
        let _ = render(&format!("{{{{{text}}}}}"), data());
    }
}
