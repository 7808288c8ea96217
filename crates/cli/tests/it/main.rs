//! The verbs on a real control plane, as a person or a script runs them.

mod bad_input;
mod deploy;
mod faults;
mod hooks;
mod kill;
mod kustomize;
mod output;
mod parts;
mod secrets;
mod shop;
mod support;
