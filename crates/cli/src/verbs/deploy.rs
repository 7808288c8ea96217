//! `towpath deploy`: make a cluster hold these manifests as one app.

use towpath_engine::Options;

use crate::args::{Deploy, Global};
use crate::exit::Exit;
use crate::report::Problem;
use crate::screen::Screen;
use crate::verbs::carry_out::{Wish, carry_out};
use crate::verbs::plan::plan;

pub async fn run(global: &Global, args: Deploy, screen: &mut Screen) -> Result<Exit, Problem> {
    let options =
        Options { concurrency: args.concurrency.max(1), timeout: args.timeout, ..Options::default() };
    let (cluster, prepared, lines) = plan(global, &args.wanted, options).await?;
    let wish = Wish {
        dry_run: args.dry_run,
        wait: args.wait.then_some(args.timeout),
        // Without a terminal a script called us, and deploying is what it called us for.
        question: (!args.yes && screen.can_ask).then_some("Apply these changes?"),
        exit_code: args.wanted.exit_code,
    };
    carry_out(&cluster, prepared, &lines, &wish, screen).await
}
