//! A Kubernetes API: connect, discovery, schemas, read, apply, watch.
