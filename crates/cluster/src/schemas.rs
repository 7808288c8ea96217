//! What the server's kinds look like: its OpenAPI v3 documents, each fetched once as long as it stays the same.
//!
//! The server's index names every document together with the SHA-512 of its text. With a cache folder a
//! document is kept in a file of that name, so that a later run asks for the index only.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use bytes::Bytes;
use futures::{FutureExt as _, StreamExt as _, TryStreamExt as _};
use serde::Deserialize;
use sha2::{Digest as _, Sha512};
use towpath_schema::Schemas;

use crate::call::Call;
use crate::{Cluster, Error};

/// How many documents are under way at a time: each is up to 2 MB, and memory is dearer than a round trip.
const AT_A_TIME: usize = 2;

#[derive(Default, Deserialize)]
struct Index {
    #[serde(default)]
    paths: HashMap<String, Entry>,
}

#[derive(Deserialize)]
struct Entry {
    #[serde(rename = "serverRelativeURL")]
    url: String,
}

impl Cluster {
    /// The schemas of these groups and versions (`("apps", "v1")`; the core group is empty). What the server does
    /// not describe is left out: a server older than 1.24 describes nothing, a group that does not answer only
    /// loses its own kinds. With a cache folder documents are kept there; no trouble with files is an error.
    pub async fn schemas(
        &self,
        wanted: impl IntoIterator<Item = (String, String)>,
        cache: Option<&Path>,
    ) -> Result<Schemas, Error> {
        let mut schemas = Schemas::default();
        let index = self.schema_index().await?;
        let mut urls: Vec<&str> = wanted
            .into_iter()
            .filter_map(|(group, version)| index.paths.get(&index_key(&group, &version)))
            .map(|entry| entry.url.as_str())
            .collect();
        urls.sort_unstable();
        urls.dedup();
        let documents: Vec<_> = urls.into_iter().map(|url| self.document(url, cache).boxed()).collect();
        let mut documents = futures::stream::iter(documents).buffered(AT_A_TIME);
        while let Some(document) = documents.try_next().await? {
            if let Some((url, text)) = document
                && let Err(error) = schemas.add_openapi(&text)
            {
                tracing::warn!(url, %error, "a schema document makes no sense");
            }
        }
        Ok(schemas)
    }

    async fn schema_index(&self) -> Result<Index, Error> {
        let what = "read the index of schemas";
        match self.call(&Call::get("/openapi/v3".into(), what.into())).await {
            Ok(reply) => serde_json::from_slice(&reply.body)
                .map_err(|error| Error::Nonsense { what: what.into(), message: error.to_string() }),
            Err(error) if error.is_not_found() => Ok(Index::default()),
            Err(error) => Err(error),
        }
    }

    /// One document with its URL, from the cache if it is there unharmed; nothing where the server does not give it.
    async fn document<'a>(
        &self,
        url: &'a str,
        cache: Option<&Path>,
    ) -> Result<Option<(&'a str, Bytes)>, Error> {
        let file = cache.and_then(|folder| Some((cached(folder, url)?, hash_of(url)?)));
        if let Some((path, hash)) = &file
            && let Ok(text) = tokio::fs::read(path).await
            && is(&text, hash)
        {
            return Ok(Some((url, text.into())));
        }
        let text = match self.call(&Call::get(url.into(), format!("read schemas {url}"))).await {
            Ok(reply) => reply.body,
            Err(error) if error.is_closed_door() => return Err(error),
            Err(error) => {
                tracing::warn!(%error, "an API group does not describe itself");
                return Ok(None);
            }
        };
        // A server whose hashes are something else than of the text is always asked.
        if let Some((path, hash)) = &file
            && is(&text, hash)
            && let Err(error) = keep(path, &text).await
        {
            tracing::debug!(path = %path.display(), %error, "a schema document is not kept");
        }
        Ok(Some((url, text)))
    }
}

/// The index' name for a group and version.
fn index_key(group: &str, version: &str) -> String {
    if group.is_empty() { format!("api/{version}") } else { format!("apis/{group}/{version}") }
}

/// The SHA-512 that the index gives for a document, in hexadecimal digits.
fn hash_of(url: &str) -> Option<&str> {
    let (_, query) = url.split_once('?')?;
    let hash = query.split('&').find_map(|parameter| parameter.strip_prefix("hash="))?;
    (hash.len() == 128 && hash.bytes().all(|byte| byte.is_ascii_hexdigit())).then_some(hash)
}

fn cached(folder: &Path, url: &str) -> Option<PathBuf> {
    Some(folder.join(format!("{}.json", hash_of(url)?.get(..64)?.to_ascii_lowercase())))
}

fn is(text: &[u8], hash: &str) -> bool {
    let mut digits = String::with_capacity(hash.len());
    for byte in Sha512::digest(text) {
        // Writing into a String cannot fail.
        let _ = write!(digits, "{byte:02x}");
    }
    digits.eq_ignore_ascii_case(hash)
}

/// Writes beside the file and renames, so that nobody ever reads half of it.
async fn keep(path: &Path, text: &[u8]) -> std::io::Result<()> {
    if let Some(folder) = path.parent() {
        tokio::fs::create_dir_all(folder).await?;
    }
    let part = path.with_extension(format!("{}.part", std::process::id()));
    let written = tokio::fs::write(&part, text).await;
    let kept = match written {
        Ok(()) => tokio::fs::rename(&part, path).await,
        Err(error) => Err(error),
    };
    if kept.is_err() {
        let _ = tokio::fs::remove_file(&part).await;
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_index_names_the_text() {
        let hash = "0".repeat(128);
        let url = format!("/openapi/v3/apis/apps/v1?hash={hash}");
        assert_eq!(hash_of(&url), Some(hash.as_str()));
        assert_eq!(hash_of("/openapi/v3/apis/apps/v1"), None);
        assert_eq!(hash_of("/openapi/v3/apis/apps/v1?hash=../../etc/passwd"), None);
        assert_eq!(index_key("", "v1"), "api/v1");
        assert_eq!(index_key("apps", "v1"), "apis/apps/v1");
        assert!(!is(b"text", &hash));
    }
}
