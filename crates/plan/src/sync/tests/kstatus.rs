//! Flux's rules: stages of kinds, everything in a stage together.

use serde_json::json;
use towpath_object::Key;

use super::super::Verdict::{Failed, Progressing, Ready};
use super::super::fixture::wanted;
use super::super::{Caller, End, Progress, Request, Rules, Selection, Selector};
use super::story::{config, definition, deployment, hook, live};
use super::world::{World, sync, sync_on};

fn flux(request: &mut Request<'static>) {
    request.rules = Rules::Kstatus;
    request.options.prune = true;
}

#[test]
fn stages_follow_each_other_and_only_definitions_are_awaited() {
    let mut world = World::default();
    world.put(&live(&config("old", 0)));
    world.script("baskets.example.com", &[Progressing, Ready]);
    world.script("api", &[Progressing]);
    let basket = wanted("example.com/v1", "Basket", "", "basket", json!({}));
    let wanted = [basket, deployment("api", 3), config("settings", 2), definition()];
    assert_eq!(sync(&mut world, &wanted, &flux).outcome().end, End::Succeeded);
    assert_eq!(
        world.log,
        [
            "apply baskets.example.com",
            "= waiting for healthy state of CustomResourceDefinition/baskets.example.com",
            "apply settings",
            "apply api",
            "apply basket",
            "prune old",
        ]
    );
}

#[test]
fn the_hooks_and_waves_of_argo_are_plain_objects() {
    let mut world = World::default();
    let wanted = [hook("job", "PostSync", ""), config("c", 5)];
    assert_eq!(sync(&mut world, &wanted, &flux).outcome().end, End::Succeeded);
    assert_eq!(world.log, ["apply c", "apply job"]);
}

#[test]
fn our_own_hooks_and_waves_count() {
    let mut world = World::default();
    world.script("migrate", &[Progressing, Ready]);
    let migrate =
        wanted("batch/v1", "Job", "", "migrate", json!({"annotations": {"towpath.dev/hook": "PreSync"}}));
    let late = wanted("v1", "ConfigMap", "", "late", json!({"annotations": {"towpath.dev/wave": "1"}}));
    assert_eq!(sync(&mut world, &[late, deployment("api", 0), migrate], &flux).outcome().end, End::Succeeded);
    assert_eq!(
        world.log,
        [
            "apply migrate",
            "= waiting for completion of hook Job/web/migrate",
            "release migrate",
            "apply api",
            "apply late"
        ]
    );
}

#[test]
fn a_failure_lets_its_stage_finish_and_stops_the_next() {
    let mut world = World::default();
    world.refuse("apply", "a", "no");
    let wanted = [config("a", 0), config("b", 0), deployment("api", 0)];
    assert_eq!(sync(&mut world, &wanted, &flux).outcome().end, End::Failed);
    assert_eq!(world.log, ["apply a", "apply b"]);
}

#[test]
fn waiting_is_for_the_end() {
    let mut world = World::default();
    world.script("volume", &[Progressing, Progressing, Ready]);
    world.script("api", &[Progressing, Failed]);
    let volume = wanted("v1", "Service", "", "volume", json!({}));
    let mut progress = Progress::default();
    let outcome = sync_on(&mut world, &mut progress, &[volume, deployment("api", 0)], &|request| {
        flux(request);
        request.options.wait = true;
    })
    .outcome();
    assert_eq!((outcome.end, outcome.message.as_str()), (End::Failed, "Deployment/web/api (Sync): Failed"));
    assert_eq!(world.log[..2], ["apply volume", "apply api"], "a workload may be what makes it ready");
}

/// Our rules: the stages of Flux, the annotations of everybody.
fn ours(request: &mut Request<'static>) {
    request.rules = Rules::Towpath;
}

#[test]
fn under_our_rules_everybodys_hooks_and_waves_count() {
    let mut world = World::default();
    world.script("job", &[Progressing, Ready]);
    let wanted = [config("late", 5), deployment("api", 0), config("settings", 0), hook("job", "PreSync", "")];
    assert_eq!(sync(&mut world, &wanted, &ours).outcome().end, End::Succeeded);
    assert_eq!(
        world.log,
        [
            "apply job",
            "= waiting for completion of hook Job/web/job",
            "release job",
            "apply settings",
            "apply api",
            "apply late"
        ]
    );
}

#[test]
fn a_hook_can_be_run_alone() {
    let mut world = World::default();
    let wanted = [config("c", 0), hook("one", "PreSync", ""), hook("two", "PostSync", "")];
    let only_two = |request: &mut Request<'static>| {
        ours(request);
        let two = Key::new("batch", "Job", "web", "two");
        request.selection = Selection::Hooks(vec![Selector::of(&two)]);
    };
    assert_eq!(sync(&mut world, &wanted, &only_two).outcome().end, End::Succeeded);
    assert_eq!(world.log, ["apply two", "release two"]);
}

#[test]
fn hooks_that_nobody_wants_are_pruned_only_by_those_who_say_so() {
    struct Says;
    impl Caller for Says {
        fn prunes_hooks(&self) -> bool {
            true
        }
    }
    let old = hook("old", "PreSync", "");
    for (says, log) in [(false, &["apply c"][..]), (true, &["apply c", "prune old"][..])] {
        let mut world = World::default();
        world.put(&live(&old));
        let pruning = |request: &mut Request<'static>| {
            flux(request);
            ours(request);
            if says {
                request.caller = &Says;
            }
        };
        assert_eq!(sync(&mut world, &[config("c", 0)], &pruning).outcome().end, End::Succeeded);
        assert_eq!(world.log, log);
    }
}
