//! Syncs from beginning to end.

use super::super::Verdict::{Failed, Progressing, Ready};
use super::super::fixture::wanted;
use super::super::{Code, End, Progress, State, Stop};
use super::story::{config, definition, deployment, hook, live, pruning, same};
use super::world::{Ran, World, sync, sync_on};
use serde_json::json;

#[test]
fn a_plain_unit_succeeds_as_soon_as_it_is_applied() {
    let mut world = World::default();
    world.script("api", &[Progressing]);
    let ran = sync(&mut world, &[deployment("api", 0), config("settings", 0)], &same);
    assert_eq!(ran.outcome().end, End::Succeeded);
    assert_eq!(world.log, ["apply settings", "apply api"], "and its health is not awaited");
}

#[test]
fn somebody_may_wait_for_health() {
    let mut world = World::default();
    world.script("api", &[Progressing, Progressing, Ready]);
    let ran = sync(&mut world, &[deployment("api", 0)], &|request| request.options.wait = true);
    assert_eq!(ran.outcome().end, End::Succeeded);
    assert_eq!(world.log, ["apply api", "= waiting for healthy state of Deployment/web/api"]);
}

#[test]
fn the_next_wave_begins_when_the_last_is_healthy() {
    let mut world = World::default();
    world.script("db", &[Progressing, Ready]);
    world.script("api", &[Progressing]);
    let ran = sync(&mut world, &[deployment("api", 1), deployment("db", 0), config("c", 0)], &same);
    assert_eq!(ran.outcome().end, End::Succeeded);
    assert_eq!(
        world.log,
        ["apply c", "apply db", "= waiting for healthy state of Deployment/web/db", "apply api"]
    );
}

#[test]
fn a_wave_that_degrades_fails_the_sync() {
    let mut world = World::default();
    world.script("db", &[Progressing, Failed]);
    let outcome = sync(&mut world, &[deployment("api", 1), deployment("db", 0)], &same).outcome();
    assert_eq!((outcome.end, outcome.message.as_str()), (End::Failed, "Deployment/web/db (Sync): Failed"));
    assert!(!world.has("api"));
}

#[test]
fn hooks_run_before_and_after_and_are_let_go() {
    let mut world = World::default();
    world.script("before", &[Progressing, Ready]);
    world.script("after", &[Progressing, Ready]);
    let wanted =
        [hook("after", "PostSync", ""), deployment("api", 0), hook("before", "PreSync", "HookSucceeded")];
    assert_eq!(sync(&mut world, &wanted, &same).outcome().end, End::Succeeded);
    assert_eq!(
        world.log,
        [
            "apply before",
            "= waiting for completion of hook Job/web/before",
            "release before",
            "apply api",
            "apply after",
            "= waiting for completion of hook Job/web/after",
            "release after",
            "delete before",
        ]
    );
    assert!(world.has("after") && !world.has("before"));
}

#[test]
fn a_single_wave_with_a_hook_waits_for_the_hook_only() {
    let mut world = World::default();
    world.script("job", &[Progressing, Ready]);
    world.script("api", &[Progressing]);
    let ran = sync(&mut world, &[hook("job", "Sync", ""), deployment("api", 0)], &same);
    assert_eq!(ran.outcome().end, End::Succeeded);
    assert_eq!(
        world.log,
        ["apply api", "apply job", "= waiting for completion of hook Job/web/job", "release job"]
    );
}

#[test]
fn a_failed_hook_stops_the_sync_and_runs_the_hooks_for_failures() {
    let mut world = World::default();
    world.script("before", &[Failed]);
    world.script("alarm", &[Progressing, Ready]);
    let wanted =
        [hook("before", "PreSync", "HookFailed"), deployment("api", 0), hook("alarm", "SyncFail", "")];
    let outcome = sync(&mut world, &wanted, &same).outcome();
    assert_eq!((outcome.end, outcome.message.as_str()), (End::Failed, "Job/web/before (PreSync): Failed"));
    assert_eq!(
        world.log,
        [
            "apply before",
            "release before",
            "delete before",
            "apply alarm",
            "= waiting for completion of hook Job/web/alarm",
            "release alarm",
        ]
    );
}

#[test]
fn hooks_for_failures_do_not_run_after_a_success() {
    let mut world = World::default();
    let wanted = [config("c", 0), hook("alarm", "SyncFail", "")];
    assert_eq!(sync(&mut world, &wanted, &same).outcome().end, End::Succeeded);
    assert_eq!(world.log, ["apply c"]);
}

#[test]
fn a_failed_hook_for_failures_is_told_as_well() {
    let mut world = World::default();
    world.refuse("apply", "c", "no");
    world.refuse("apply", "alarm", "no either");
    let outcome = sync(&mut world, &[config("c", 0), hook("alarm", "SyncFail", "")], &same).outcome();
    assert_eq!(
        outcome.message,
        "ConfigMap/web/c (Sync): no; hooks for failures failed as well: Job/web/alarm (SyncFail): no either"
    );
}

#[test]
fn later_kinds_of_a_wave_are_applied_though_an_earlier_one_failed() {
    let mut world = World::default();
    world.refuse("apply", "c", "no");
    let ran = sync(&mut world, &[config("c", 0), deployment("api", 0), deployment("late", 1)], &same);
    assert_eq!(ran.outcome().end, End::Failed);
    assert_eq!(world.log, ["apply c", "apply api"]);
}

#[test]
fn a_failure_is_told_at_once_though_others_are_on_their_way() {
    let mut world = World::default();
    world.refuse("apply", "c", "no");
    world.script("db", &[Progressing]);
    let ran = sync(&mut world, &[config("c", 0), deployment("db", 0), deployment("late", 1)], &same);
    assert_eq!(ran.outcome().message, "ConfigMap/web/c (Sync): no");
}

#[test]
fn the_namespace_comes_first() {
    let mut world = World::default();
    let ran = sync(&mut world, &[config("c", -5)], &|request| request.options.create_namespace = true);
    assert_eq!(ran.outcome().end, End::Succeeded);
    assert_eq!(world.log, ["apply web", "apply c"]);
}

#[test]
fn what_a_definition_defines_follows_when_it_is_established() {
    let mut world = World::default();
    world.script("baskets.example.com", &[Progressing, Ready]);
    let basket = wanted("example.com/v1", "Basket", "", "basket", json!({}));
    let ran = sync(&mut world, &[basket, definition(), config("c", 0)], &same);
    assert_eq!(ran.outcome().end, End::Succeeded);
    assert_eq!(
        world.log,
        [
            "apply c",
            "apply baskets.example.com",
            "= waiting for healthy state of CustomResourceDefinition/baskets.example.com",
            "apply basket"
        ]
    );
}

#[test]
fn an_old_hook_is_let_go_and_deleted_before_it_is_created_again() {
    let mut world = World::default();
    let job = hook("job", "PreSync", "BeforeHookCreation");
    let mut old = live(&job).into_value();
    old["metadata"]["finalizers"] = serde_json::json!([super::super::HOOK_FINALIZER]);
    world.put(&towpath_object::Object::new(old).unwrap());
    world.slow.insert("job".into());
    assert_eq!(sync(&mut world, &[job, config("c", 0)], &same).outcome().end, End::Succeeded);
    assert_eq!(
        world.log,
        [
            "release job",
            "delete job",
            "= waiting for deletion of Job/web/job",
            "apply job",
            "release job",
            "apply c"
        ]
    );
}

#[test]
fn a_refusal_of_one_object_means_that_nothing_is_applied() {
    let mut world = World::default();
    world.refuse("check", "a", "spec.x: unknown field");
    world.refuse("check", "b", "denied by a webhook");
    let wanted = [config("a", 0), config("b", 0), deployment("api", 0)];
    let outcome = sync(&mut world, &wanted, &|request| request.options.create_namespace = true).outcome();
    assert_eq!(outcome.end, End::Failed);
    assert_eq!(
        outcome.message,
        "nothing but its namespace was applied: ConfigMap/web/a: spec.x: unknown field; ConfigMap/web/b: denied by a webhook"
    );
    assert_eq!(world.log, ["apply web"]);
}

#[test]
fn a_dry_run_writes_nothing_and_tells_everything() {
    let mut world = World::default();
    world.put(&live(&config("old", 0)));
    let mut progress = Progress::default();
    let wanted = [config("a", 0), hook("job", "PreSync", "")];
    let ran = sync_on(&mut world, &mut progress, &wanted, &|request| {
        request.options.dry_run = true;
        request.options.create_namespace = true;
        pruning(request);
    });
    assert_eq!(ran.outcome().end, End::Succeeded);
    assert!(world.log.is_empty());
    let codes: Vec<_> =
        progress.results().iter().map(|result| (result.task.key.name.as_str(), result.code)).collect();
    assert_eq!(
        codes,
        [
            ("web", Some(Code::Synced)),
            ("job", Some(Code::Synced)),
            ("a", Some(Code::Synced)),
            ("old", Some(Code::Pruned))
        ]
    );
}

#[test]
fn only_health_of_what_was_applied_counts() {
    let mut world = World::lagging();
    world.put(&live(&deployment("db", 0)));
    world.script("db", &[Progressing, Progressing, Ready]);
    let ran = sync(&mut world, &[deployment("db", 0), deployment("api", 1)], &same);
    assert_eq!(ran.outcome().end, End::Succeeded);
    assert_eq!(
        world.log,
        ["apply db", "= waiting for healthy state of Deployment/web/db", "apply api"],
        "the old object in the cache was Ready all along"
    );
}

#[test]
fn nothing_is_begun_when_a_newer_revision_waits() {
    let mut world = World::default();
    world.stop = Some(Stop::AfterWave("revision 2 is there".into()));
    let outcome = sync(&mut world, &[deployment("db", 0), deployment("api", 1)], &same).outcome();
    assert_eq!(outcome.end, End::Superseded);
    assert!(world.log.is_empty());
}

#[test]
fn an_object_that_vanishes_is_asked_for_and_missed() {
    let mut world = World::lagging();
    world.script("db", &[Progressing]);
    let mut progress = Progress::default();
    let wanted = [deployment("db", 0), deployment("api", 1)];
    let ran = sync_on(&mut world, &mut progress, &wanted, &same);
    assert_eq!(ran, Ran::Endless, "while it is there and not ready, it is waited for");
    world.delete("db");
    world.log.clear();
    let outcome = sync_on(&mut world, &mut progress, &wanted, &same).outcome();
    assert_eq!(outcome.message, "Deployment/web/db (Sync): it is missing; it may have been deleted");
    assert_eq!(world.log, ["= waiting for healthy state of Deployment/web/db", "look db"]);
    assert_eq!(progress.results()[0].state, State::Error);
}
