//! `towpath delete`: an app with everything it has.

use towpath_engine::{Options, prepare_removal};

use crate::args::{Delete, Global};
use crate::connect;
use crate::exit::Exit;
use crate::files::Lines;
use crate::report::Problem;
use crate::screen::Screen;
use crate::verbs::carry_out::{Wish, carry_out};
use crate::verbs::plan::approval;

pub async fn run(global: &Global, args: &Delete, screen: &mut Screen) -> Result<Exit, Problem> {
    let name = connect::app_name(&args.app)?;
    if !args.yes && !args.dry_run && !screen.can_ask {
        return Err(Problem::Unanswered(
            "pass --yes to delete without being asked, or --dry-run to see what would go",
        ));
    }
    let cluster = connect::cluster(global).await?;
    let app = connect::app(global, &cluster, name)?;
    let approval = approval(args.approve_deletions);
    let options = Options { timeout: args.timeout, approval, ..Options::default() };
    let prepared = prepare_removal(&cluster, app, options).await?;
    let wish = Wish {
        dry_run: args.dry_run,
        wait: None,
        question: (!args.yes).then_some("Delete all of it?"),
        exit_code: false,
    };
    carry_out(&cluster, prepared, &Lines::default(), &wish, screen).await
}
