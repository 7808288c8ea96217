//! Go's text/template, and Sprig's functions for it.
//!
//! In: the texts of templates, functions, and data as [`Value`]s. Out: what the templates print, byte for byte as
//! Go prints it, or an error with Go's own text. Never reads a file, the clock or the network: what functions
//! need of the outside comes in as an [`Environment`].
//!
//! ```text
//! text -> parse (lex, build) -> Templates: trees by name, shared between threads
//! Templates + Value + Run -> exec -> fmt -> bytes
//! ```
//!
//! ```
//! use towpath_gotemplate::{Environment, Run, Templates, Value};
//!
//! let mut templates = Templates::default();
//! templates.parse("greeting", b"Hello, {{.name}}!")?;
//! let environment = Environment::fixed((0, 0), 1);
//! let mut host = ();
//! let dot = Value::map([("name".into(), Value::string("world"))]);
//! let text = templates.execute("greeting", dot, &mut Run::new(&environment, &mut host))?;
//! assert_eq!(text, b"Hello, world!");
//! # Ok::<(), towpath_gotemplate::Error>(())
//! ```

mod builtin;
mod environment;
mod error;
mod exec;
pub mod fmt;
mod function;
mod parse;
mod run;
mod runes;
mod set;
pub mod sprig;
mod strconv;
mod time;
pub mod value;

pub use environment::Environment;
pub use error::Error;
pub use function::{Args, Fault, Function, Functions};
pub use parse::Delimiters;
pub use run::{Limits, Run, Scope};
pub use set::{MissingKey, Templates};
pub use value::{Method, Object, Operand, Text, Type, Value};
