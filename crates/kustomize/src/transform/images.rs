//! Names, tags and digests of images.

use regex::Regex;
use towpath_yaml::{Content, Node};

use crate::config::FieldSpec;
use crate::error::Error;
use crate::resources::Resources;
use crate::spec::Image;
use crate::tree;
use crate::walk::{Make, each_field};

/// An image to look for, and what becomes of it.
#[derive(Clone, Debug)]
pub struct Images {
    image: Image,
    name: Name,
    specs: Vec<FieldSpec>,
}

/// The name of an image. Upstream takes it as a regular expression.
#[derive(Clone, Debug)]
enum Name {
    Text(String),
    Regex(Regex),
    /// No expression; upstream dies of it when it meets the first image.
    Bad,
}

impl Images {
    /// Prepares the change.
    pub fn new(image: &Image, specs: Vec<FieldSpec>) -> Self {
        let name = &image.name;
        // A dot matches itself; that it matches more is kept only where it can matter.
        let name = if name.contains(['\\', '+', '*', '?', '(', ')', '|', '[', ']', '{', '}', '^', '$', '.']) {
            let pattern = format!("^{name}(:[a-zA-Z0-9_.{{}}-]*)?(@sha256:[a-zA-Z0-9_.{{}}-]*)?$");
            Regex::new(&pattern).map_or(Name::Bad, Name::Regex)
        } else {
            Name::Text(name.clone())
        };
        Self { image: image.clone(), name, specs }
    }

    /// Changes all images of all objects.
    pub fn set(&self, resources: &mut Resources) -> Result<(), Error> {
        for resource in resources.list_mut() {
            if resource.kind() == "CustomResourceDefinition" {
                continue;
            }
            self.everywhere(&mut resource.node)?;
            for spec in &self.specs {
                each_field(resource, spec, Make::Nothing, &mut |node| self.update(node))?;
            }
        }
        Ok(())
    }

    /// Changes the images in all lists of containers, wherever they are.
    fn everywhere(&self, node: &mut Node) -> Result<(), Error> {
        match &mut node.content {
            Content::Scalar(_) => Ok(()),
            Content::List(items) => items.iter_mut().try_for_each(|item| self.everywhere(item)),
            Content::Map(entries) => entries.iter_mut().try_for_each(|entry| {
                self.everywhere(&mut entry.value)?;
                if !matches!(&*entry.key.text, "containers" | "initContainers") {
                    return Ok(());
                }
                let Content::List(items) = &mut entry.value.content else { return Ok(()) };
                for item in items {
                    if item.is_null() {
                        continue;
                    }
                    if !matches!(item.content, Content::Map(_)) {
                        return Err(tree::wrong_kind(item, "MappingNode"));
                    }
                    if let Some(image) = item.get_mut("image") {
                        self.update(image)?;
                    }
                }
                Ok(())
            }),
        }
    }

    fn update(&self, node: &mut Node) -> Result<(), Error> {
        if !matches!(node.content, Content::Scalar(_)) {
            return Err(tree::wrong_kind(node, "ScalarNode"));
        }
        let text = tree::raw(node);
        if !self.is_meant(text)? {
            return Ok(());
        }
        let new = self.changed(text);
        tree::replace_scalar(node, Node::scalar(new))
    }

    fn is_meant(&self, text: &str) -> Result<bool, Error> {
        match &self.name {
            Name::Regex(regex) => Ok(regex.is_match(text)),
            Name::Text(name) => Ok(text.strip_prefix(name.as_str()).is_some_and(is_version)),
            Name::Bad => {
                Err(Error::invalid(format!("the image name {:?} is no regular expression", self.image.name)))
            }
        }
    }

    fn changed(&self, text: &str) -> String {
        let (name, tag, digest) = split(text);
        let image = &self.image;
        let name = if image.new_name.is_empty() { name } else { &image.new_name };
        let (tag, digest) = match (image.new_tag.as_str(), image.digest.as_str()) {
            ("", "") if image.tag_suffix.is_empty() => (tag.to_owned(), digest),
            ("", "") => (format!("{tag}{}", image.tag_suffix), ""),
            ("", digest) => (String::new(), digest),
            (tag, digest) => (tag.to_owned(), digest),
        };
        let mut new = name.to_owned();
        for (mark, part) in [(':', tag.as_str()), ('@', digest)] {
            if !part.is_empty() {
                new.push(mark);
                new.push_str(part);
            }
        }
        new
    }
}

/// Whether a text is `(:tag)?(@sha256:digest)?`.
fn is_version(text: &str) -> bool {
    let plain =
        |text: &str| text.chars().all(|letter| letter.is_ascii_alphanumeric() || "_.{}-".contains(letter));
    let (tag, digest) = match text.find("@sha256:") {
        Some(at) => text.split_at(at),
        None => (text, ""),
    };
    let tag = tag.is_empty() || tag.strip_prefix(':').is_some_and(plain);
    tag && (digest.is_empty() || digest.strip_prefix("@sha256:").is_some_and(plain))
}

/// Name, tag and digest of an image. A colon before the first slash belongs to a port.
fn split(image: &str) -> (&str, &str, &str) {
    let from = image.find('/').unwrap_or(0);
    let search = image.get(from..).unwrap_or_default();
    let digest = search.find('@').map(|at| at + from);
    let tag = search.find(':').map(|at| at + from).filter(|tag| digest.is_none_or(|digest| *tag < digest));
    let part =
        |from: Option<usize>, to: usize| from.and_then(|from| image.get(from + 1..to)).unwrap_or_default();
    let end = digest.unwrap_or(image.len());
    let name = image.get(..tag.unwrap_or(end)).unwrap_or_default();
    (name, part(tag, end), part(digest, image.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_are_split() {
        assert_eq!(split("nginx"), ("nginx", "", ""));
        assert_eq!(split("nginx:1"), ("nginx", "1", ""));
        assert_eq!(split("host:5000/nginx:1@sha256:a"), ("host:5000/nginx", "1", "sha256:a"));
        assert_eq!(split("host:5000/nginx@sha256:a"), ("host:5000/nginx", "", "sha256:a"));
    }

    fn changed(name: &str, new: &Image, image: &str) -> Option<String> {
        let images = Images::new(&Image { name: name.into(), ..new.clone() }, Vec::new());
        images.is_meant(image).unwrap().then(|| images.changed(image))
    }

    #[test]
    fn images_are_changed() {
        let tag = Image { new_tag: "2".into(), ..Image::default() };
        assert_eq!(changed("nginx", &tag, "nginx:1@sha256:abc").unwrap(), "nginx:2");
        assert_eq!(changed("nginx", &tag, "nginx-more"), None);
        assert_eq!(changed("host/.*", &tag, "host/a/b").unwrap(), "host/a/b:2");
        let digest = Image { digest: "sha256:x".into(), new_name: "other".into(), ..Image::default() };
        assert_eq!(changed("nginx", &digest, "nginx:1").unwrap(), "other@sha256:x");
        let suffix = Image { tag_suffix: "-x".into(), ..Image::default() };
        assert_eq!(changed("nginx", &suffix, "nginx:1@sha256:a").unwrap(), "nginx:1-x");
    }
}
