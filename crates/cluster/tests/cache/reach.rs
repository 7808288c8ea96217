//! A server that nobody answers for.

use std::net::SocketAddr;
use std::time::Duration;

use anyhow::Result;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{JoinHandle, JoinSet};
use towpath_cluster::cache::{Cache, CacheEvent, GroupKind, KindState};

use crate::bed::{bed, cluster, config_maps, settings, soon, until_state};

/// Hands connections on to `target` until aborted, which cuts them.
async fn open(address: SocketAddr, target: String) -> Result<(SocketAddr, JoinHandle<()>)> {
    let listener = TcpListener::bind(address).await?;
    let address = listener.local_addr()?;
    let task = tokio::spawn(async move {
        let mut connections = JoinSet::new();
        while let Ok((mut client, _)) = listener.accept().await {
            let target = target.clone();
            connections.spawn(async move {
                if let Ok(mut server) = TcpStream::connect(&target).await {
                    let _ = tokio::io::copy_bidirectional(&mut client, &mut server).await;
                }
            });
        }
    });
    Ok((address, task))
}

/// The breaker opens, nobody but a probe tries, and it closes when there is an answer.
#[tokio::test]
async fn a_server_that_is_away_is_probed_and_found_again() -> Result<()> {
    let bed = bed("away").await?;
    bed.put_map("a", "1").await?;
    let target = bed.proxy.url().trim_start_matches("http://").to_string();
    let (address, door) = open("127.0.0.1:0".parse()?, target.clone()).await?;
    let folder = tempfile::tempdir()?;
    let kubeconfig = folder.path().join("kubeconfig");
    let text = std::fs::read_to_string(bed.proxy.kubeconfig_path())?;
    std::fs::write(&kubeconfig, text.replace(bed.proxy.url(), &format!("http://{address}")))?;
    let cache = Cache::start(cluster(&kubeconfig).await?, settings());
    let kinds = [config_maps(), GroupKind::new("", "Service"), GroupKind::new("", "Secret")];
    cache.ready(kinds.clone()).await;
    let mut told = cache.subscribe();

    door.abort();
    let _ = door.await;
    soon("the breaker opens", || (!cache.is_reachable()).then_some(())).await?;
    for kind in &kinds {
        until_state(&cache, kind, |state| matches!(state, KindState::Stale { .. })).await?;
    }
    assert!(cache.get(&bed.key("a")).is_some(), "what was known is kept");
    bed.put_map("b", "1").await?;

    let (_, door) = open(address, target).await?;
    soon("the breaker closes", || cache.is_reachable().then_some(())).await?;
    for kind in &kinds {
        until_state(&cache, kind, KindState::is_live).await?;
    }
    soon("what happened meanwhile", || cache.get(&bed.key("b"))).await?;
    let mut reachable = Vec::new();
    while let Ok(Some(event)) = tokio::time::timeout(Duration::from_millis(200), told.next()).await {
        if let CacheEvent::Reachable(now) = event {
            reachable.push(now);
        }
    }
    assert_eq!(reachable, [false, true]);
    door.abort();
    Ok(())
}

#[tokio::test]
async fn a_server_that_never_was_there_is_no_reason_to_wait() -> Result<()> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    drop(listener);
    let bed = bed("never").await?;
    let folder = tempfile::tempdir()?;
    let kubeconfig = folder.path().join("kubeconfig");
    let text = std::fs::read_to_string(bed.proxy.kubeconfig_path())?;
    std::fs::write(&kubeconfig, text.replace(bed.proxy.url(), &format!("http://{address}")))?;
    let cache = Cache::start(cluster(&kubeconfig).await?, settings());
    soon("it is known not to be there", || (!cache.is_reachable()).then_some(())).await?;
    let waiting = tokio::time::timeout(Duration::from_millis(300), cache.ready([config_maps()])).await;
    assert!(waiting.is_err(), "nothing is known of what it serves");
    Ok(())
}
