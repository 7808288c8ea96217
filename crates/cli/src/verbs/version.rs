//! `towpath version`.

use serde_json::json;

use crate::args::{Global, Version};
use crate::connect;
use crate::exit::Exit;
use crate::report::Problem;
use crate::screen::Screen;
use crate::show::document;

pub async fn run(global: &Global, args: &Version, screen: &mut Screen) -> Result<Exit, Problem> {
    let ours = env!("CARGO_PKG_VERSION");
    if screen.output.is_none() {
        screen.print(&format!("towpath {ours}\n"));
    }
    if args.client {
        document(&json!({ "towpath": ours }), screen.output, screen);
        return Ok(Exit::Success);
    }
    let cluster = connect::cluster(global).await?;
    let server = cluster.version().await?;
    if screen.output.is_none() {
        screen.print(&format!("cluster {server} at {}\n", cluster.url()));
    }
    document(&json!({ "towpath": ours, "cluster": server }), screen.output, screen);
    Ok(Exit::Success)
}
