//! Pages of lists, in the two forms there are.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::{MODIFIED, Objects, Request};

enum Entry<'a> {
    Folder(&'a str),
    Object(&'a str),
}

/// The page that is asked for, of so many entries.
pub(crate) fn page(request: &Request, objects: &Objects, length: usize) -> String {
    let prefix = request.asks("prefix").unwrap_or_default();
    let is_azure = request.asks("comp") == Some("list");
    let token = if is_azure {
        "marker"
    } else {
        "continuation-token"
    };
    let start: usize = request
        .asks(token)
        .map_or(0, |token| token.parse().unwrap());
    let entries = entries(objects, prefix);
    let shown = entries.iter().skip(start).take(length);
    let next = start + length;
    let next = (next < entries.len()).then(|| next.to_string());
    let mut text = String::new();
    for entry in shown {
        let _ = match (entry, is_azure) {
            (Entry::Folder(name), true) => {
                write!(
                    text,
                    "<BlobPrefix><Name>{}</Name></BlobPrefix>",
                    escaped(name)
                )
            }
            (Entry::Folder(name), false) => write!(
                text,
                "<CommonPrefixes><Prefix>{}</Prefix></CommonPrefixes>",
                escaped(name)
            ),
            (Entry::Object(name), true) => write!(
                text,
                "<Blob><Name>{}</Name><Properties><Last-Modified>{MODIFIED}</Last-Modified>\
                 <Content-Length>{}</Content-Length><Content-Type>application/octet-stream</Content-Type>\
                 <Etag>{}</Etag></Properties></Blob>",
                escaped(name),
                objects[*name].size,
                escaped(&objects[*name].tag())
            ),
            (Entry::Object(name), false) => write!(
                text,
                "<Contents><Key>{}</Key><LastModified>2026-11-16T12:00:00.000Z</LastModified>\
                 <ETag>{}</ETag><Size>{}</Size></Contents>",
                escaped(name),
                escaped(&objects[*name].tag()),
                objects[*name].size
            ),
        };
    }
    let next = next.unwrap_or_default();
    if is_azure {
        format!(
            "<?xml version=\"1.0\"?><EnumerationResults><Blobs>{text}</Blobs><NextMarker>{next}</NextMarker>\
             </EnumerationResults>"
        )
    } else if next.is_empty() {
        format!("<ListBucketResult>{text}</ListBucketResult>")
    } else {
        format!(
            "<ListBucketResult>{text}<NextContinuationToken>{next}</NextContinuationToken></ListBucketResult>"
        )
    }
}

/// What is directly below a prefix, in the order of the keys.
fn entries<'a>(objects: &'a Objects, prefix: &str) -> Vec<Entry<'a>> {
    let mut folders = BTreeSet::new();
    let mut entries = Vec::new();
    for key in objects.keys() {
        let Some(rest) = key.strip_prefix(prefix) else {
            continue;
        };
        match rest.find('/') {
            Some(at) => {
                let folder = &key[..=prefix.len() + at];
                if folders.insert(folder) {
                    entries.push(Entry::Folder(folder));
                }
            }
            None => entries.push(Entry::Object(key)),
        }
    }
    entries
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('"', "&quot;")
}
