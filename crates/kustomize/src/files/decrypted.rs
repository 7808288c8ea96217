//! A tree in which some files are encrypted.

use super::{Files, Place, Use};

/// Another tree whose resources, patches and generator inputs go through a function before they are used.
pub struct Decrypted<'f, F> {
    files: &'f dyn Files,
    decrypt: F,
}

impl<'f, F> Decrypted<'f, F>
where
    F: Fn(&str, Use<'_>, Vec<u8>) -> Result<Vec<u8>, String> + Sync,
{
    /// `decrypt` gets the real path of a file, what it is read for and its bytes. It answers with the bytes to
    /// use (the same, where nothing is encrypted), or with why there are none.
    pub fn new(files: &'f dyn Files, decrypt: F) -> Self {
        Self { files, decrypt }
    }
}

impl<F> Files for Decrypted<'_, F>
where
    F: Fn(&str, Use<'_>, Vec<u8>) -> Result<Vec<u8>, String> + Sync,
{
    fn place(&self, path: &str) -> Result<Place, String> {
        self.files.place(path)
    }

    fn place_in(&self, folder: &str, name: &str) -> Result<Place, String> {
        self.files.place_in(folder, name)
    }

    fn read(&self, path: &str, most: u64) -> Result<Option<Vec<u8>>, String> {
        self.files.read(path, most)
    }

    fn decrypt(&self, path: &str, purpose: Use<'_>, bytes: Vec<u8>) -> Result<Vec<u8>, String> {
        (self.decrypt)(path, purpose, bytes)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;
    use crate::files::Memory;
    use crate::{Options, build};

    #[test]
    fn inputs_are_decrypted_and_the_rest_is_not() {
        let mut files = Memory::new();
        files.add(
            "kustomization.yaml",
            "resources: [a.yaml]\npatches: [{path: p.yaml}]\nsecretGenerator: [{name: s, files: [k=f.txt], envs: [e.env]}]\nconfigMapGenerator: [{name: c, files: [g.txt], envs: [h.env]}]\nconfigurations: [x.yaml]\n",
        );
        files.add("a.yaml", "ENCRYPTED");
        files.add("p.yaml", "kind: Job\napiVersion: v1\nmetadata: {name: a, labels: {x: y}}\n");
        files.add("x.yaml", "namespace: []\n");
        for name in ["f.txt", "g.txt"] {
            files.add(name, "text");
        }
        for name in ["e.env", "h.env"] {
            files.add(name, "A=1\n");
        }
        let seen = Mutex::new(Vec::new());
        let tree = Decrypted::new(&files, |path, purpose, bytes| {
            seen.lock().unwrap().push(format!("{path} {purpose:?}"));
            let object = b"kind: Job\napiVersion: v1\nmetadata: {name: a}\n";
            Ok(if bytes == b"ENCRYPTED" { object.to_vec() } else { bytes })
        });
        let text = build(&tree, "/", &Options::default()).unwrap().to_yaml().unwrap();
        assert!(text.contains("kind: Job") && !text.contains("ENCRYPTED"), "{text}");
        assert_eq!(
            *seen.lock().unwrap(),
            [
                "/a.yaml Resource",
                "/h.env ConfigMapEnv",
                "/g.txt ConfigMap { key: \"g.txt\" }",
                "/e.env SecretEnv",
                "/f.txt Secret { key: \"k\" }",
                "/p.yaml Patch",
            ]
        );
    }

    #[test]
    fn what_cannot_be_decrypted_ends_the_build() {
        let mut files = Memory::new();
        files.add("kustomization.yaml", "resources: [a.yaml]\n");
        files.add("a.yaml", "x");
        let tree = Decrypted::new(&files, |_, _, _| Err("no key fits".to_owned()));
        let error = build(&tree, "/", &Options::default()).unwrap_err().to_string();
        assert_eq!(
            error,
            "accumulating resources: accumulating resources from 'a.yaml': cannot decrypt '/a.yaml': no key fits"
        );
    }
}
