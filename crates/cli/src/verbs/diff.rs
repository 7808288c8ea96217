//! `towpath diff`: what `deploy` would change, field by field. Nothing is changed.

use serde_json::json;
use towpath_engine::Options;

use crate::args::{Diff, Global, Output};
use crate::exit::Exit;
use crate::report::Problem;
use crate::screen::Screen;
use crate::show::{changes_value, diff_text, document, names, summary_words};
use crate::verbs::plan::plan;

pub async fn run(global: &Global, args: Diff, screen: &mut Screen) -> Result<Exit, Problem> {
    let (_, prepared, _) = plan(global, &args.wanted, Options::default()).await?;
    let plan = &prepared.plan;
    for warning in &prepared.warnings {
        screen.warning(warning);
    }
    match screen.output {
        None => {
            screen.print(&diff_text(plan, args.why));
            screen.note(&summary_words(plan));
        }
        Some(Output::Name) => {
            let changed = plan.changes.iter().filter(|change| change.is_effective());
            screen.print(&names(changed.map(|change| &change.key)));
        }
        output => document(
            &json!({
                "app": prepared.app.name.as_str(), "namespace": prepared.app.namespace,
                "summary": plan.summary(), "changes": changes_value(plan),
            }),
            output,
            screen,
        ),
    }
    Ok(if args.wanted.exit_code && !plan.is_empty() { Exit::Changes } else { Exit::Success })
}
