//! `bench scale [SECONDS] [OBJECTS]`: the cache of a large cluster. A sandbox in this process holds 400,000 objects of
//! 300 kinds and changes 2,000 of them a second; the cache runs in a process of its own, so that its memory is its own,
//! and is asked all the while.

mod fill;
pub mod part;

use std::process::Stdio;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::process::{Child, Command};
use towpath_sandbox::{Options, Sandbox};

use crate::figures::round3;
use fill::Fill;

/// Events a second.
const RATE: u32 = 2_000;
/// How often some of them are written.
const BEAT: Duration = Duration::from_millis(10);

/// What is required: the figure, the most it may be.
const LIMITS: &[(&str, f64)] = &[
    ("event_p99_ms", 1000.0),
    ("reader_p99_ms", 5.0),
    ("unit_p99_ms", 1.0),
    ("rss_mib", 1536.0),
    ("peak_to_steady", 1.5),
];

pub async fn run(args: &[String]) -> Result<()> {
    let number = |place: usize, default: u32| args.get(place).map_or(Ok(default), |text| text.parse());
    let (seconds, objects) = (number(0, 60)?, number(1, 400_000)?);
    let fill = Fill::new(objects as usize);
    let sandbox = Sandbox::start(Options::default()).await?;
    let start = Instant::now();
    sandbox.seed(Fill::definitions())?;
    let count = sandbox.seed(fill.objects())?;
    eprintln!("{count} objects of {} kinds in {:.1} s", Fill::kinds(), start.elapsed().as_secs_f64());
    let folder = tempfile::tempdir()?;
    let kubeconfig = folder.path().join("kubeconfig");
    std::fs::write(&kubeconfig, sandbox.kubeconfig())?;
    let mut child = Command::new(std::env::current_exe()?)
        .arg("scale-part")
        .arg(&kubeconfig)
        .arg(count.to_string())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()?;
    let mut lines = BufReader::new(child.stdout.take().context("its output")?).lines();
    let ready = lines.next_line().await?.context("the cache's part ended early")?;
    eprintln!("the cache is there: {ready}");
    let rate = events(&sandbox, &fill, seconds).await?;
    let mut figures: Value = serde_json::from_str(&finish(&mut child, &mut lines).await?)?;
    let Some(fields) = figures.as_object_mut() else { anyhow::bail!("no figures") };
    fields.insert("bench".into(), json!("scale"));
    fields.insert("kinds".into(), json!(Fill::kinds()));
    fields.insert("seconds".into(), json!(seconds));
    fields.insert("events_per_s".into(), json!(rate.round()));
    for (name, most) in LIMITS {
        let found = fields.get(*name).and_then(Value::as_f64).unwrap_or(f64::NAN);
        let verdict = if found <= *most { "within" } else { "MISSED" };
        eprintln!("{name}: {found} of {most} ({:.2}) {verdict}", found / most);
        fields.insert(format!("{name}_to_limit"), json!(round3(found / most)));
    }
    println!("{figures}");
    Ok(())
}

/// Changes objects at a steady rate, and says which it was.
async fn events(sandbox: &Sandbox, fill: &Fill, seconds: u32) -> Result<f64> {
    let each = RATE * u32::try_from(BEAT.as_millis())? / 1000;
    let mut beat = tokio::time::interval(BEAT);
    let (start, mut count) = (Instant::now(), 0u32);
    while start.elapsed() < Duration::from_secs(seconds.into()) {
        beat.tick().await;
        let objects = (count..count + each).map(|number| fill.change(number as usize));
        count += u32::try_from(sandbox.seed(objects)?)?;
    }
    Ok(f64::from(count) / start.elapsed().as_secs_f64())
}

async fn finish(
    child: &mut Child,
    lines: &mut tokio::io::Lines<BufReader<tokio::process::ChildStdout>>,
) -> Result<String> {
    child.stdin.take().context("its input")?.write_all(b"stop\n").await?;
    let line = lines.next_line().await?.context("the cache's part gave no figures")?;
    ensure!(child.wait().await?.success(), "the cache's part failed");
    Ok(line)
}
