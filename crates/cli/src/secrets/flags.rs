//! The flags.

use clap::Args;
use towpath_kustomize::Output;

use super::{Decryption, Problem, Values};

/// What happens to secrets and variables.
#[derive(Debug, Args)]
#[command(next_help_heading = "Secrets and variables, as Flux has them")]
pub struct Flags {
    /// Decrypt what SOPS encrypted: resources, patches and what Secrets are generated from
    #[arg(long)]
    pub decrypt: bool,
    /// Replace `${KEY}` in all objects; with the operators of Flux's postBuild
    #[arg(long, value_name = "KEY=VALUE", value_parser = pair)]
    pub substitute: Vec<(String, String)>,
    /// Refuse a variable that has neither a value nor a default
    #[arg(long)]
    pub strict_substitute: bool,
    /// Keep texts texts: a value cannot become a number where the field is a text, nor break the object
    #[arg(long)]
    pub typed_substitute: bool,
}

impl Flags {
    /// What opens encrypted files, if that is wanted.
    pub fn decryption(&self) -> Option<Decryption> {
        self.decrypt.then(Decryption::of_process)
    }

    /// Decrypts and fills in what the build made, in this order.
    pub fn finish(&self, decryption: Option<&Decryption>, output: &mut Output) -> Result<(), Problem> {
        if let Some(decryption) = decryption {
            output.change(|node| decryption.object(node))?;
        }
        if !self.substitute.is_empty() {
            let values = Values::new(self);
            output.change(|node| values.object(node))?;
        }
        Ok(())
    }
}

fn pair(text: &str) -> Result<(String, String), String> {
    // A value may be secret, so the message does not repeat it.
    let (name, value) = text.split_once('=').ok_or("write KEY=VALUE")?;
    Ok((name.to_owned(), value.to_owned()))
}
