//! Deletions: of what is no longer wanted, and of whole units.

use jiff::Timestamp;
use serde_json::json;

use super::super::Verdict::{Failed, Ready};
use super::super::fixture::object;
use super::super::{Code, End, Progress, Request, Wanted, deletion};
use super::story::{config, deployment, hook, live, pruning, same};
use super::world::{Ran, World, run, sync, sync_on};

fn with_options(mut wanted: Wanted, options: &str) -> Wanted {
    let mut value = wanted.object.clone().into_value();
    value["metadata"]["annotations"]["argocd.argoproj.io/sync-options"] = json!(options);
    wanted.object = towpath_object::Object::new(value).unwrap();
    wanted
}

#[test]
fn what_is_no_longer_wanted_is_kept_unless_pruning_is_on() {
    let mut world = World::default();
    world.put(&live(&config("old", 0)));
    let mut progress = Progress::default();
    let ran = sync_on(&mut world, &mut progress, &[config("new", 0)], &same);
    let kept = "synced; ConfigMap/web/old: kept: it needs pruning, which is off";
    let outcome = ran.outcome();
    assert_eq!((outcome.end, outcome.message.as_str()), (End::Succeeded, kept));
    assert!(world.has("old"));
    let kept = progress.results().into_iter().find(|result| result.code == Some(Code::PruneSkipped)).unwrap();
    assert_eq!(kept.message, "kept: it needs pruning, which is off");
    assert_eq!(sync(&mut world, &[config("new", 0)], &pruning).outcome().end, End::Succeeded);
    assert!(!world.has("old"));
}

#[test]
fn an_object_may_refuse_to_be_pruned() {
    let mut world = World::default();
    world.put(&live(&with_options(config("old", 0), "Prune=false")));
    assert_eq!(sync(&mut world, &[config("new", 0)], &pruning).outcome().end, End::Succeeded);
    assert!(world.has("old"));
}

#[test]
fn deletions_run_backwards_and_each_wave_waits_for_the_last_to_be_gone() {
    let mut world = World::default();
    for (name, wave) in [("a", 1), ("b", 2), ("c", 3)] {
        world.put(&live(&deployment(name, wave)));
        world.slow.insert(name.into());
    }
    assert_eq!(sync(&mut world, &[config("new", 0)], &pruning).outcome().end, End::Succeeded);
    assert_eq!(
        world.log,
        [
            "apply new",
            "prune c",
            "= waiting for deletion of Deployment/web/c",
            "prune b",
            "= waiting for deletion of Deployment/web/b",
            "prune a",
        ]
    );
}

#[test]
fn nothing_of_a_wave_is_touched_before_a_consent() {
    let mut world = World::default();
    world.put(&live(&with_options(config("precious", 0), "Prune=confirm")));
    world.put(&live(&config("old", 0)));
    let wanted = [config("new", 0), config("before", -1)];
    let mut progress = Progress::default();
    let asks = |ran: Ran| assert_eq!(ran, Ran::Asks(vec!["ConfigMap/web/precious".into()]));
    asks(sync_on(&mut world, &mut progress, &wanted, &pruning));
    world.approved = Some(Timestamp::from_second(1_600_000_000).unwrap());
    asks(sync_on(&mut world, &mut progress, &wanted, &pruning));
    assert_eq!(world.log, ["apply before"], "an old consent does not count");
    world.approved = Some(Timestamp::from_second(1_700_000_001).unwrap());
    assert_eq!(sync_on(&mut world, &mut progress, &wanted, &pruning).outcome().end, End::Succeeded);
    assert_eq!(world.log, ["apply before", "prune old", "prune precious", "apply new"]);
}

#[test]
fn the_unit_may_ask_for_consent_to_all_deletions() {
    let mut world = World::default();
    world.put(&live(&config("old", 0)));
    let confirm = |request: &mut Request<'static>| {
        request.options.prune = true;
        request.options.may_prune = super::super::Consent::Confirm;
    };
    assert_eq!(sync(&mut world, &[config("new", 0)], &confirm), Ran::Asks(vec!["ConfigMap/web/old".into()]));
    let mut world = World::default();
    world.put(&live(&with_options(config("old", 0), "Prune=true")));
    assert_eq!(sync(&mut world, &[config("new", 0)], &confirm).outcome().end, End::Succeeded);
    assert!(!world.has("old"), "the object's own word counts");
}

#[test]
fn a_refused_deletion_fails_the_sync_before_the_wave_is_applied() {
    let mut world = World::default();
    world.put(&live(&config("old", 0)));
    world.refuse("prune", "old", "forbidden");
    let outcome = sync(&mut world, &[config("new", 0)], &pruning).outcome();
    assert_eq!((outcome.end, outcome.message.as_str()), (End::Failed, "ConfigMap/web/old (Sync): forbidden"));
    assert!(!world.has("new"));
}

fn delete(world: &mut World, hooks: &[Wanted]) -> Ran {
    let mut progress = Progress::default();
    run(world, &mut progress, &|mut request| {
        request.wanted = hooks.to_vec();
        deletion(request)
    })
}

#[test]
fn a_unit_goes_in_reverse_with_its_hooks_around_it() {
    let mut world = World::default();
    world.put(&object("v1", "Namespace", "", "web", json!({})));
    world.put(&live(&deployment("api", 1)));
    world.put(&live(&deployment("db", 0)));
    world.put(&live(&hook("old-hook", "PreSync", "")));
    world.slow.insert("api".into());
    let hooks =
        [hook("goodbye", "PostDelete", "HookFailed"), hook("backup", "PreDelete", ""), config("ignored", 0)];
    assert_eq!(delete(&mut world, &hooks).outcome().end, End::Succeeded);
    assert_eq!(
        world.log,
        [
            "apply backup",
            "release backup",
            "prune api",
            "= waiting for deletion of Deployment/web/api",
            "prune db",
            "prune old-hook",
            "prune web",
            "apply goodbye",
            "release goodbye",
            "delete backup",
        ]
    );
    assert!(world.has("goodbye"), "it is kept on success");
}

#[test]
fn some_objects_outlive_their_unit() {
    let mut world = World::default();
    world.put(&live(&with_options(config("kept", 0), "Delete=false")));
    let mut policy = live(&config("helm", 0)).into_value();
    policy["metadata"]["annotations"] = json!({"helm.sh/resource-policy": "keep"});
    world.put(&towpath_object::Object::new(policy).unwrap());
    world.put(&object("apiextensions.k8s.io/v1", "CustomResourceDefinition", "", "crd", json!({})));
    world.put(&live(&config("gone", 0)));
    assert_eq!(delete(&mut world, &[]).outcome().end, End::Succeeded);
    assert_eq!(world.log, ["prune gone"]);
    world.put(&live(&with_options(config("asked", 0), "Delete=confirm")));
    assert_eq!(delete(&mut world, &[]), Ran::Asks(vec!["ConfigMap/web/asked".into()]));
}

#[test]
fn a_failed_hook_of_a_deletion_is_removed_for_the_next_attempt() {
    let mut world = World::default();
    world.put(&live(&config("c", 0)));
    world.script("backup", &[Failed]);
    let hooks = [hook("backup", "PreDelete", "HookSucceeded")];
    assert_eq!(delete(&mut world, &hooks).outcome().end, End::Failed);
    assert!(world.has("c") && !world.has("backup"));
    world.script("backup", &[Ready]);
    assert_eq!(delete(&mut world, &hooks).outcome().end, End::Succeeded);
    assert!(!world.has("c") && !world.has("backup"));
}
