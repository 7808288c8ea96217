//! `towpath inspect`: what an app has and how it is.

use jiff::Timestamp;
use serde_json::json;
use towpath_api::{Condition, ConditionStatus};
use towpath_clock::{Clock as _, SystemClock};
use towpath_engine::{Node, Tree, apps, inspect};
use towpath_health::Status;

use crate::args::{Global, Inspect, Output};
use crate::connect;
use crate::exit::Exit;
use crate::report::Problem;
use crate::screen::{Screen, style};
use crate::show::{Cell, document, names, table, tree_text, tree_value};

pub async fn run(global: &Global, args: &Inspect, screen: &mut Screen) -> Result<Exit, Problem> {
    let cluster = connect::cluster(global).await?;
    let Some(app) = &args.app else {
        let namespace = if args.all_namespaces {
            String::new()
        } else {
            global.namespace.clone().unwrap_or_else(|| cluster.default_namespace().to_string())
        };
        return list(&cluster, &namespace, screen).await;
    };
    let app = connect::app(global, &cluster, app)?;
    let tree = inspect(&cluster, &app).await?;
    let ready = ready(&tree, SystemClock::default().now());
    match screen.output {
        None => {
            screen.print(&tree_text(&tree));
            let colour = if ready.status == ConditionStatus::True { style::GOOD } else { style::CHANGE };
            screen.print(&format!("{colour}{}{colour:#}: {}\n", tree.app, ready.message));
            if let Some(why) = &tree.unfinished {
                screen.print(&format!("{bad}the last run{bad:#} {why}\n", bad = style::BAD));
            }
        }
        Some(Output::Name) => screen.print(&names(tree.roots.iter().map(|node| &node.key))),
        output => document(
            &json!({
                "app": app.name.as_str(), "namespace": app.namespace, "conditions": [ready],
                "objects": tree.roots.iter().map(tree_value).collect::<Vec<_>>(),
                "unfinished": tree.unfinished,
            }),
            output,
            screen,
        ),
    }
    Ok(Exit::Success)
}

async fn list(
    cluster: &towpath_cluster::Cluster,
    namespace: &str,
    screen: &mut Screen,
) -> Result<Exit, Problem> {
    let found = apps(cluster, namespace).await?;
    match screen.output {
        None if found.is_empty() => screen.note("there are no apps here; `towpath deploy` makes one"),
        None => {
            let row = |one: &towpath_engine::AppSummary| -> Vec<Cell> {
                vec![
                    one.app.namespace.as_str().into(),
                    one.app.name.as_str().into(),
                    one.objects.to_string().into(),
                ]
            };
            screen
                .print(&table(&["NAMESPACE", "APP", "OBJECTS"], &found.iter().map(row).collect::<Vec<_>>()));
        }
        Some(Output::Name) => {
            let names: String = found.iter().map(|one| format!("app/{}\n", one.app.name)).collect();
            screen.print(&names);
        }
        output => {
            let values: Vec<_> = found
                .iter()
                .map(|one| json!({"app": one.app.name.as_str(), "namespace": one.app.namespace, "objects": one.objects}))
                .collect();
            document(&json!({ "apps": values }), output, screen);
        }
    }
    Ok(Exit::Success)
}

/// The app as a whole, in the words of a Kubernetes condition.
fn ready(tree: &Tree, now: Timestamp) -> Condition {
    let count = |test: fn(Status) -> bool| tree.roots.iter().filter(|node| test(node.health.status)).count();
    let (total, well) = (tree.roots.len(), count(|status| status == Status::Current));
    let broken = count(|status| matches!(status, Status::Failed | Status::NotFound));
    let (status, reason, message) = if well == total {
        (ConditionStatus::True, "Ready", format!("all {total} objects are ready"))
    } else if broken > 0 {
        let first =
            tree.roots.iter().find(|node| matches!(node.health.status, Status::Failed | Status::NotFound));
        let first =
            first.map(|node: &Node| format!(": {}: {}", node.key, node.health.message)).unwrap_or_default();
        (
            ConditionStatus::False,
            "Degraded",
            format!("{broken} of {total} objects are missing or have failed{first}"),
        )
    } else {
        (ConditionStatus::Unknown, "Progressing", format!("{well} of {total} objects are ready"))
    };
    Condition {
        kind: "Ready".into(),
        status,
        reason: reason.into(),
        message,
        last_transition_time: now,
        observed_generation: None,
    }
}
