//! An object as an operation sees it: judged by the unit's rules, in the words of `plan::sync`.

use jiff::Timestamp;
use serde_json::Value;
use towpath_health::{Assessment, Judge, Rules, Verdict as Judged};
use towpath_object::Object;
use towpath_plan::sync::{Observation, Verdict};

/// Judges an object. A hook that our finalizer holds is judged as if nobody had deleted it: a Job may go the moment it
/// is complete, and its result is what the finalizer holds it for. It is judged by its end, not by its start: to kstatus a
/// Job that runs is ready.
pub(crate) fn observe(judge: &Judge, object: &Object, now: Timestamp) -> Observation {
    let mut seen = Observation::new(object, Verdict::Unknown, "");
    let runs_to_an_end = object.gvk().group == "batch" && object.kind() == "Job" || object.kind() == "Pod";
    let assessment = match (seen.held, seen.terminating) {
        (true, true) => ended(judge, &staying(object), now, runs_to_an_end),
        (true, false) => ended(judge, object, now, runs_to_an_end),
        (false, _) => judge.assess(object, now),
    };
    seen.verdict = match assessment.verdict {
        Judged::None => Verdict::None,
        Judged::Ready => Verdict::Ready,
        Judged::Suspended => Verdict::Suspended,
        Judged::Progressing => Verdict::Progressing,
        Judged::Failed => Verdict::Failed,
        Judged::Missing | Judged::Unknown => Verdict::Unknown,
    };
    seen.message = assessment.message;
    seen
}

/// The health of a hook.
fn ended(judge: &Judge, hook: &Object, now: Timestamp, runs_to_an_end: bool) -> Assessment {
    match judge.rules() {
        Rules::Kstatus if runs_to_an_end => Rules::Argo.assess(hook, now),
        _ => judge.assess(hook, now),
    }
}

/// The object as it would be if nobody had deleted it.
fn staying(object: &Object) -> Object {
    let mut value = object.value().clone();
    if let Some(metadata) = value.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.remove("deletionTimestamp");
    }
    Object::new(value).expect("it was an object, and its identity did not change")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn job(finalizers: &[&str], conditions: &Value) -> Object {
        let metadata =
            json!({"name": "hook", "deletionTimestamp": "2026-01-01T00:00:00Z", "finalizers": finalizers});
        let value = json!({"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata,
            "status": {"conditions": conditions}});
        Object::new(value).unwrap()
    }

    #[test]
    fn a_hook_that_is_held_is_judged_by_its_result() {
        let see = |finalizers: &[&str], conditions: Value| {
            observe(&Judge::new(Rules::Argo), &job(finalizers, &conditions), Timestamp::UNIX_EPOCH).verdict
        };
        let complete = json!([{"type": "Complete", "status": "True"}]);
        for held in [towpath_plan::sync::HOOK_FINALIZER, towpath_plan::sync::ARGO_HOOK_FINALIZER] {
            assert_eq!(see(&[held, "foregroundDeletion"], complete.clone()), Verdict::Ready);
            assert_eq!(see(&[held], json!([])), Verdict::Progressing);
        }
        assert_eq!(see(&["foregroundDeletion"], complete), Verdict::Progressing);
    }

    #[test]
    fn a_hook_that_runs_is_not_ready_whoever_judges() {
        let running = |finalizers: &[&str]| {
            let metadata = json!({"name": "hook", "finalizers": finalizers});
            let status = json!({"startTime": "2026-01-01T00:00:00Z", "active": 1});
            let job =
                json!({"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata, "status": status});
            let job = Object::new(job).unwrap();
            observe(&Judge::new(Rules::Kstatus), &job, Timestamp::UNIX_EPOCH).verdict
        };
        assert_eq!(running(&[towpath_plan::sync::HOOK_FINALIZER]), Verdict::Progressing);
        assert_eq!(running(&[]), Verdict::Ready, "a plain Job is ready when it runs");
    }
}
