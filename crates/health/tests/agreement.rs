//! Agreement with the real kstatus. `kstatus.jsonl` holds objects that were generated, shrunk to what decides
//! them, and judged by `status.Compute` of github.com/fluxcd/cli-utils v1.4.0; an error there is `Unknown`.

use serde_json::Value;
use towpath_health::assess_at;
use towpath_object::Object;

#[test]
fn every_recorded_object_has_the_status_that_kstatus_gave_it() {
    // Between the two times of creation that the objects have.
    let now = "2026-08-01T00:00:00Z".parse().unwrap();
    let mut misses = Vec::new();
    for line in include_str!("kstatus.jsonl").lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let object = Object::new(case["object"].clone()).unwrap();
        let health = assess_at(&object, now);
        if health.status.to_string() != case["status"] {
            misses.push(format!("{line}\n    judged {health:?}"));
        }
    }
    assert!(misses.is_empty(), "{}", misses.join("\n"));
}
