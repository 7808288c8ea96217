//! Variables in rendered objects: Flux's post-build substitution.
//!
//! In: an object and [`Variables`]. Out: the object with every `${…}` replaced ([`object`]), or an [`Error`] in
//! Flux's words. Below that, [`Template`] parses and expands any text, byte for byte as Flux's library does.
//! Never reads a cluster, and never puts a variable's value into an error.
//!
//! ```text
//! text -> scan -> parse -> Template -> expand (operators, glob, letters) -> text
//! object -> object.rs: as one YAML text (Flux), or string by string (typed) -> object
//! ```
//!
//! Where this is stricter than Flux: expressions nest at most 200 deep, a result has at most 64 MiB, the work
//! of one text is limited, and a key that two templates both become is refused. Where Flux's library panics
//! (a length near the largest integer), the rest of the value is taken.

mod error;
mod expand;
mod glob;
mod letters;
mod object;
mod operators;
mod parse;
mod scan;
mod variables;

pub use error::{Error, ExpandError, ParseError};
pub use object::{Expected, Mode, Unset, object};
pub use parse::{Expression, Part, Template};
pub use variables::Variables;
