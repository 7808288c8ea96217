//! Objects against small documents of the forms that servers write.

mod built_in;
mod custom;
