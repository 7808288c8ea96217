//! Kubernetes-dialect YAML in and out, with the line of every value.
