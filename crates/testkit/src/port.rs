//! Free loopback ports for servers that cannot choose one themselves.
//!
//! The ports are below the range from which Linux gives local ports to outgoing connections (32768 and up), so
//! that a client's connection never sits on a port between our looking and the server's binding. Another test
//! process may still be faster; whoever starts a server on such a port tries again with others.

use std::net::TcpListener;
use std::process;
use std::sync::atomic::{AtomicU32, Ordering};

use anyhow::{Result, bail};
use jiff::Timestamp;

const FIRST: u32 = 12_000;
const COUNT: u32 = 20_000;

/// How often a server's start is tried with new ports.
pub(crate) const TRIES: usize = 3;

/// The next free port, never the same one twice in this process (until the range is used up).
pub(crate) fn free() -> Result<u16> {
    static NEXT: AtomicU32 = AtomicU32::new(u32::MAX);
    // Test processes start at different places, so that they rarely want the same port.
    let start =
        process::id().wrapping_mul(7919).wrapping_add(Timestamp::now().subsec_nanosecond().unsigned_abs());
    let _ = NEXT.compare_exchange(u32::MAX, start % COUNT, Ordering::Relaxed, Ordering::Relaxed);
    for _ in 0..COUNT {
        let offset = NEXT.fetch_add(1, Ordering::Relaxed) % COUNT;
        let port = u16::try_from(FIRST + offset)?;
        if TcpListener::bind(("127.0.0.1", port)).is_ok() {
            return Ok(port);
        }
    }
    bail!("no free port between {FIRST} and {}", FIRST + COUNT)
}

/// Whether a log says that the port was taken in the meantime.
pub(crate) fn was_taken(log: &str) -> bool {
    log.contains("address already in use") || log.contains("Address already in use")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_port_is_given_twice() {
        let ports: Vec<u16> = (0..50).map(|_| free().unwrap()).collect();
        let distinct: std::collections::BTreeSet<&u16> = ports.iter().collect();
        assert_eq!(distinct.len(), ports.len());
    }

    #[test]
    fn the_servers_words_for_a_taken_port_are_known() {
        let port = TcpListener::bind("127.0.0.1:0").unwrap();
        let error = TcpListener::bind(port.local_addr().unwrap()).unwrap_err();
        assert!(was_taken(&error.to_string()), "{error}");
        assert!(was_taken("listen tcp 127.0.0.1:2379: bind: address already in use"));
    }
}
