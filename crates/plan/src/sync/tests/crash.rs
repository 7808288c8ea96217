//! Crashes, terminations and deleted hooks: nothing runs twice, nothing stays behind.

use super::super::Verdict::{Failed, Progressing, Ready};
use super::super::{End, Progress, Stop, Wanted};
use super::story::{config, deployment, hook, live, pruning, same};
use super::world::{Ran, World, sync, sync_on};

fn unit() -> Vec<Wanted> {
    vec![
        hook("migrate", "PreSync", "BeforeHookCreation"),
        hook("check", "Sync", "HookSucceeded"),
        hook("tell", "PostSync", "HookSucceeded,BeforeHookCreation"),
        config("settings", 0),
        deployment("db", 0),
        deployment("api", 1),
    ]
}

fn start() -> World {
    let mut world = World::default();
    world.put(&live(&hook("migrate", "PreSync", "")));
    world.put(&live(&config("old", 0)));
    for name in ["migrate", "check", "tell", "db", "api"] {
        world.script(name, &[Progressing, Ready]);
    }
    world
}

fn state(world: &World) -> Vec<String> {
    world.live().iter().map(|object| object.key().to_string()).collect()
}

#[test]
fn killed_at_any_write_every_hook_runs_once_and_the_end_is_the_same() {
    let mut whole = start();
    assert_eq!(sync(&mut whole, &unit(), &pruning).outcome().end, End::Succeeded);
    let writes = whole.log.iter().filter(|line| !line.starts_with(['=', 'l'])).count();
    assert!(writes > 10, "{:?}", whole.log);
    for number in 0..writes {
        for after in [false, true] {
            let mut world = start();
            world.crash = Some((number, after));
            let ran = sync(&mut world, &unit(), &pruning);
            let place = format!("write {number}, after: {after}: {:?}", world.log);
            assert_eq!(ran.outcome().end, End::Succeeded, "{place}");
            assert!(world.crash.is_none(), "it has to have crashed: {place}");
            assert_eq!(state(&world), state(&whole), "{place}");
            for name in ["migrate", "check", "tell"] {
                assert_eq!(world.created[name], 1, "{name}: {place}");
            }
        }
    }
}

#[test]
fn a_failing_sync_killed_at_any_write_fails_the_same_way() {
    let wanted = || [hook("bad", "PreSync", "HookFailed"), config("c", 0), hook("alarm", "SyncFail", "")];
    let start = || {
        let mut world = World::default();
        world.script("bad", &[Progressing, Failed]);
        world.script("alarm", &[Progressing, Ready]);
        world
    };
    let mut whole = start();
    let outcome = sync(&mut whole, &wanted(), &same).outcome();
    let writes = whole.log.iter().filter(|line| !line.starts_with(['=', 'l'])).count();
    for number in 0..writes {
        for after in [false, true] {
            let mut world = start();
            world.crash = Some((number, after));
            assert_eq!(sync(&mut world, &wanted(), &same).outcome(), outcome);
            assert_eq!(state(&world), state(&whole));
            assert_eq!((world.created["bad"], world.created["alarm"]), (1, 1), "write {number} {after}");
        }
    }
}

#[test]
fn a_terminated_sync_leaves_no_finalizer_and_no_running_hook() {
    let mut world = World::default();
    world.script("job", &[Progressing]);
    let wanted = [hook("job", "PreSync", ""), config("c", 0)];
    let mut progress = Progress::default();
    assert_eq!(sync_on(&mut world, &mut progress, &wanted, &same), Ran::Endless);
    world.stop = Some(Stop::Now("by a person".into()));
    world.log.clear();
    let outcome = sync_on(&mut world, &mut progress, &wanted, &same).outcome();
    assert_eq!((outcome.end, outcome.message.as_str()), (End::Failed, "terminated: by a person"));
    assert_eq!(world.log, ["release job", "delete job"]);
    assert!(world.live().is_empty());
    assert_eq!(progress.results()[0].message, "terminated while it ran");
}

#[test]
fn a_hook_that_completed_stays_when_the_sync_is_terminated() {
    let mut world = World::default();
    world.script("job", &[Ready]);
    world.script("db", &[Progressing]);
    let wanted = [hook("job", "PreSync", ""), deployment("db", 0), deployment("api", 1)];
    let mut progress = Progress::default();
    assert_eq!(sync_on(&mut world, &mut progress, &wanted, &same), Ran::Endless);
    world.stop = Some(Stop::Now("time is up".into()));
    assert_eq!(sync_on(&mut world, &mut progress, &wanted, &same).outcome().end, End::Failed);
    assert!(world.has("job") && world.has("db"));
}

#[test]
fn trouble_while_terminating_is_an_error() {
    let mut world = World::default();
    world.script("job", &[Progressing]);
    let wanted = [hook("job", "PreSync", "")];
    let mut progress = Progress::default();
    assert_eq!(sync_on(&mut world, &mut progress, &wanted, &same), Ran::Endless);
    world.stop = Some(Stop::Now("by a person".into()));
    world.refuse("release", "job", "forbidden");
    let outcome = sync_on(&mut world, &mut progress, &wanted, &same).outcome();
    assert_eq!(outcome.end, End::Error);
    assert_eq!(outcome.message, "terminated: by a person; hooks could not be cleaned up");
}

#[test]
fn a_hook_that_somebody_deletes_while_it_runs_has_failed() {
    let mut world = World::default();
    world.script("job", &[Progressing]);
    let wanted = [hook("job", "PreSync", ""), config("c", 0)];
    let mut progress = Progress::default();
    assert_eq!(sync_on(&mut world, &mut progress, &wanted, &same), Ran::Endless);
    world.delete("job");
    assert!(world.has("job"), "its finalizer holds it");
    let outcome = sync_on(&mut world, &mut progress, &wanted, &same).outcome();
    assert_eq!(outcome.message, "Job/web/job (PreSync): the hook was deleted while it ran");
    assert!(!world.has("job"));
}

#[test]
fn a_completed_hook_that_is_being_deleted_has_succeeded() {
    let mut world = World::default();
    world.script("job", &[Progressing]);
    let wanted = [hook("job", "PreSync", ""), config("c", 0)];
    let mut progress = Progress::default();
    assert_eq!(sync_on(&mut world, &mut progress, &wanted, &same), Ran::Endless);
    // Its time to live is over the moment it is done: both are seen at once.
    world.becomes("job", Ready);
    world.delete("job");
    assert_eq!(sync_on(&mut world, &mut progress, &wanted, &same).outcome().end, End::Succeeded);
    assert!(!world.has("job") && world.has("c"));
}

#[test]
fn a_newer_revision_waits_for_running_hooks_but_not_for_health() {
    let mut world = World::default();
    world.script("db", &[Progressing]);
    let wanted = [deployment("db", 0), deployment("api", 1)];
    let mut progress = Progress::default();
    assert_eq!(sync_on(&mut world, &mut progress, &wanted, &same), Ran::Endless);
    world.stop = Some(Stop::AfterWave("revision 2 is there".into()));
    let outcome = sync_on(&mut world, &mut progress, &wanted, &same).outcome();
    assert_eq!(
        (outcome.end, outcome.message.as_str()),
        (End::Superseded, "stopped after a wave: revision 2 is there")
    );
    let mut world = World::default();
    world.script("job", &[Progressing]);
    let wanted = [hook("job", "PreSync", ""), config("c", 0)];
    world.stop = None;
    let mut progress = Progress::default();
    assert_eq!(sync_on(&mut world, &mut progress, &wanted, &same), Ran::Endless);
    world.stop = Some(Stop::AfterWave("revision 2 is there".into()));
    assert_eq!(sync_on(&mut world, &mut progress, &wanted, &same), Ran::Endless);
    world.becomes("job", Ready);
    assert_eq!(sync_on(&mut world, &mut progress, &wanted, &same).outcome().end, End::Superseded);
}
