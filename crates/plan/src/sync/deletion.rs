//! The deletion of a whole unit: hooks before it, its objects in the reverse order of their waves, hooks after it.

use super::hook::{Role, role};
use super::schedule::{Maker, is_namespace};
use super::{Hook, Phase, Problem, Request, Schedule, Wanted, order};

/// Makes the schedule of a deletion. `wanted` is looked at for its PreDelete and PostDelete hooks only; `live` is
/// everything the unit has. The unit's own namespace, if it is among that, goes last.
pub fn deletion(request: Request<'_>) -> Result<Schedule, Vec<Problem>> {
    let mut maker = Maker::new(&request);
    let hooks: Vec<(Wanted, Hook)> = maker
        .without_repetition()
        .into_iter()
        .filter_map(|wanted| match role(&wanted.object, request.rules) {
            Role::Hook(hook) => Some((wanted, hook)),
            _ => None,
        })
        .collect();
    let mut tasks = maker.hook_tasks(hooks, &[Phase::PreDelete, Phase::PostDelete]);
    for live in &request.live {
        let hook = match role(live, request.rules) {
            Role::Hook(hook) if hook.phases.iter().any(|phase| *phase >= Phase::PreDelete) => continue,
            Role::Hook(hook) => Some(hook.delete),
            _ => None,
        };
        if request.caller.other_owner(live).is_some() {
            continue;
        }
        let mut task = maker.task(Phase::Delete, None, Some(live.clone()));
        task.hook = hook;
        let last = is_namespace(live, &request.namespace);
        task.wave = if last { i64::MAX } else { task.wave.saturating_neg() };
        tasks.push(task);
    }
    for task in &mut tasks {
        maker.judge(task);
    }
    let Maker { problems, warnings, .. } = maker;
    if !problems.is_empty() {
        return Err(problems);
    }
    order::sort(&mut tasks, request.rules);
    let Request { rules, options, started, .. } = request;
    Ok(Schedule { rules, options, started, tasks, warnings })
}
