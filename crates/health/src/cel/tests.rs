//! Expressions as people write them for Flux, and expressions that mean harm.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::*;

fn expressions(current: &str, in_progress: &str, failed: &str) -> Result<Expressions, BadExpression> {
    Expressions::new([KindExpressions {
        api_version: "example.com/v1".into(),
        kind: "Lamp".into(),
        current: current.into(),
        in_progress: in_progress.into(),
        failed: failed.into(),
    }])
}

fn lamp(rest: &Value) -> Object {
    let mut value = json!({"apiVersion": "example.com/v2", "kind": "Lamp", "metadata": {"name": "a"}});
    value.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
    Object::new(value).unwrap()
}

/// What an expression is of an object with a bit of everything.
fn eval(expression: &str) -> Result<bool, String> {
    let object = lamp(&json!({
        "spec": {"replicas": 3, "ratio": 0.5, "names": ["a", "b"], "long": "x".repeat(100_000)},
        "status": {
            "phase": "Running", "ready": 3, "started": "2026-01-01T00:00:00Z",
            "conditions": [
                {"type": "Ready", "status": "True", "reason": "Fine", "observedGeneration": 1},
                {"type": "Stalled", "status": "False"},
            ],
        },
        "extra": {"a-b": 1},
    }));
    let health = expressions(expression, "", "").unwrap().assess(&object).unwrap();
    match health.status {
        Status::Current => Ok(true),
        Status::InProgress => Ok(false),
        _ => Err(health.message),
    }
}

#[test]
fn what_flux_documents() {
    for is_true in [
        "status.phase == 'Running'",
        "status.conditions.filter(e, e.type == 'Ready').all(e, e.status == 'True')",
        "status.conditions.exists(e, e.type == 'Ready' && e.status == 'True')",
        "status.conditions.exists_one(e, e.type == 'Ready')",
        "has(status.conditions) && !has(status.failure)",
        "status.conditions.map(e, e.type) == ['Ready', 'Stalled']",
        "status.conditions[0].observedGeneration == 1",
        "spec.replicas == status.ready && spec.replicas >= 3",
        // Numbers of different types.
        "spec.replicas == 3.0 && spec.replicas > 2.5 && spec.ratio < 1 && 3u == spec.replicas",
        "extra['a-b'] == 1 && 'a-b' in extra && 'a' in spec.names && size(spec.names) == 2",
        "status.?failure.orValue('none') == 'none' && status.?phase.hasValue()",
        "status[?'phase'].orValue('') == 'Running' && optional.none().or(optional.of(1)).value() == 1",
        "status.phase.lowerAscii() == 'running' && status.phase.startsWith('Run')",
        "'a,b'.split(',') == ['a', 'b'] && ['a', 'b'].join('-') == 'a-b' && ['a', 'b'].join() == 'ab'",
        "'aaa'.replace('a', 'b') == 'bbb' && 'aaa'.replace('a', 'b', 2) == 'bba'",
        "'aaa'.replace('a', 'b', -1) == 'bbb' && 'x'.replace('', '-') == '-x-'",
        "'%s is %d'.format(['a', 1]) == 'a is 1' && 'hello'.substring(1, 3) == 'el'",
        "sets.contains(spec.names, ['a']) && !sets.contains(['a'], spec.names)",
        "sets.equivalent(spec.names, ['b', 'a', 'a']) && sets.intersects(spec.names, ['b', 'c'])",
        "!sets.intersects(spec.names, []) && sets.contains([1, 2], [1.0])",
        "base64.encode(b'hi') == 'aGk=' && string(base64.decode('aGk=')) == 'hi'",
        "timestamp(status.started) < timestamp('2026-01-02T00:00:00Z')",
        "status.phase.matches('^Run+ing$')",
        "status.phase == 'Running' || status.missing.field == 1",
        "metadata.name == 'a' ? kind == 'Lamp' : false",
    ] {
        assert_eq!(eval(is_true), Ok(true), "{is_true}");
        assert_eq!(eval(&format!("!({is_true})")), Ok(false), "{is_true}");
    }
}

#[test]
fn what_cannot_be_evaluated_is_unknown() {
    for odd in ["status.missing == 1", "missing", "spec.replicas", "'text'", "1 / 0 == 1", "nothing()"] {
        assert!(eval(odd).is_err(), "{odd}");
    }
    let message = eval("spec.replicas").unwrap_err();
    assert_eq!(message, "the expression spec.replicas is neither true nor false");
}

#[test]
fn the_order_of_expressions() {
    let all = expressions("status.a", "status.b", "status.c").unwrap();
    let status = |a: bool, b: bool, c: bool| {
        all.assess(&lamp(&json!({"status": {"a": a, "b": b, "c": c}}))).unwrap().status
    };
    assert_eq!(status(true, true, true), Status::InProgress);
    assert_eq!(status(true, false, true), Status::Failed);
    assert_eq!(status(true, false, false), Status::Current);
    assert_eq!(status(false, false, false), Status::InProgress);

    let current = expressions("true", "", "").unwrap();
    let observed = |observed: Value| {
        let rest =
            json!({"metadata": {"name": "a", "generation": 2}, "status": {"observedGeneration": observed}});
        current.assess(&lamp(&rest)).unwrap().status
    };
    assert_eq!(observed(json!(1)), Status::InProgress);
    assert_eq!(observed(json!(2)), Status::Current);
    // Some kinds have a text there.
    assert_eq!(observed(json!("1")), Status::Current);
}

#[test]
fn a_kind_or_a_whole_group() {
    let entry = |api_version: &str, kind: &str, current: &str| KindExpressions {
        api_version: api_version.into(),
        kind: kind.into(),
        current: current.into(),
        ..KindExpressions::default()
    };
    let all =
        Expressions::new([entry("example.com/v1", "", "false"), entry("example.com/v1", "Lamp", "true")])
            .unwrap();
    assert_eq!(all.assess(&lamp(&json!({}))).unwrap().status, Status::Current);
    assert_eq!(all.assess(&lamp(&json!({"kind": "Other"}))).unwrap().status, Status::InProgress);
    assert_eq!(all.assess(&lamp(&json!({"apiVersion": "v1"}))), None);

    let error = |entries: Vec<KindExpressions>| Expressions::new(entries).err().unwrap().to_string();
    let one = entry("example.com/v1", "Lamp", "true");
    let other = KindExpressions { api_version: "example.com/v2".into(), ..one.clone() };
    assert_eq!(error(vec![one, other]), "example.com/Lamp: there are two entries");
    assert_eq!(error(vec![entry("v1", "Pod", "")]), "/Pod: current is missing");
    assert!(error(vec![entry("v1", "Pod", "a ==")]).starts_with("/Pod: current: "));
}

#[test]
fn hostile_expressions_end_in_time() {
    let list = "[1,2,3,4,5,6,7,8,9,10]";
    let nested = (0..9).fold("true".to_owned(), |inner, n| format!("{list}.all(x{n}, {inner})"));
    let growing =
        (0..12).fold("spec.long".to_owned(), |inner, _| format!("{inner}.replace('x', 'xxxxxxxxxx')"));
    let split = "spec.long.split('')";
    let cases = [
        nested.clone(),
        // Errors in one round do not stop the others.
        nested.replace("all", "exists").replace("true", "false"),
        format!("({nested}) || true"),
        format!("size({growing}) > 0"),
        "size(spec.long.replace('', spec.long)) > 0".to_owned(),
        format!("size({split}.join(spec.long)) > 0"),
        format!("{split}.all(a, {split}.all(b, true))"),
        format!("size({split}.map(a, spec)) > 0"),
        format!("sets.contains({split}, {split})"),
        "spec.long.matches('(x+x+)+y')".to_owned(),
    ];
    for case in cases {
        let start = Instant::now();
        let outcome = eval(&case);
        let took = start.elapsed();
        assert!(took < Duration::from_secs(2), "{case:.80}: {took:?}");
        assert!(outcome.is_err() || outcome == Ok(false), "{case:.80}: {outcome:?}");
    }
    for (piece, times) in
        [("(", 4000), ("!", 4000), ("[", 2000), ("1+", 2000), ("a.", 2000), ("true?true:", 300)]
    {
        let deep = piece.repeat(times) + "true";
        assert!(expressions(&deep, "", "").is_err() || piece == "!", "{piece}");
    }
    // As deep as it may be.
    assert_eq!(eval(&("1+".repeat(37) + "1 == 38")), Ok(true));
    let loops = "[1].all(a, ".repeat(12) + "true" + &")".repeat(12);
    assert_eq!(eval(&loops), Ok(true));
    assert!(expressions(&"x".repeat(10_000), "", "").is_err());
}
