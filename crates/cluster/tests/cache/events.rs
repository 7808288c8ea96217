//! Subscribers that do not read.

use anyhow::Result;
use towpath_cluster::cache::{CacheEvent, CacheSettings};

use crate::bed::{bed, config_maps, settings, soon};

/// Check 9.
#[tokio::test]
async fn a_subscriber_that_does_not_read_is_told_that_it_lagged() -> Result<()> {
    let bed = bed("slow").await?;
    let cache = bed.cache(CacheSettings { backlog: 16, ..settings() }).await?;
    cache.ready([config_maps()]).await;
    let mut slow = cache.subscribe();
    for number in 0..60 {
        bed.put_map(&format!("m{number}"), "1").await?;
    }
    soon("the cache goes on", || cache.get(&bed.key("m59"))).await?;
    assert_eq!(cache.unit("shop").iter().filter(|row| row.key.namespace == bed.namespace).count(), 60);
    let lost = loop {
        match slow.next().await {
            Some(CacheEvent::Lagged(lost)) => break lost,
            Some(_) => {}
            None => panic!("the cache has ended"),
        }
    };
    assert!(lost >= 20, "at most 16 of 60 are kept; {lost} were lost");
    assert!(matches!(slow.next().await, Some(CacheEvent::Changed(_))), "and it goes on from there");
    Ok(())
}
