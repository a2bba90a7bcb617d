//! An image for containers as an archive of an OCI layout, made without a daemon: `podman load`, `skopeo copy` and
//! `docker load` (25 and newer) take it.

use serde_json::{Value, json};

use super::archive::{Entry, gzip, tar};
use super::checksum::sha256;

const LAYER: &str = "application/vnd.oci.image.layer.v1.tar+gzip";
const CONFIG: &str = "application/vnd.oci.image.config.v1+json";
const MANIFEST: &str = "application/vnd.oci.image.manifest.v1+json";
const INDEX: &str = "application/vnd.oci.image.index.v1+json";

/// What the image says of itself.
pub struct Image<'a> {
    pub version: &'a str,
    /// Go's name of the architecture, which is Debian's.
    pub architecture: &'a str,
}

impl Image<'_> {
    pub fn file_name(&self) -> String {
        format!("fathom-{}-{}.oci.tar", self.version, self.architecture)
    }

    /// The archive's bytes; `files` are what the image holds.
    ///
    /// # Errors
    /// When a path has no room in an archive.
    pub fn bytes(&self, files: &[Entry], time_s: u64) -> Result<Vec<u8>, String> {
        let plain = tar(files, "", time_s)?;
        let layer = gzip(&plain)?;
        let config = text(&json!({
            "architecture": self.architecture,
            "os": "linux",
            "config": {
                "Entrypoint": ["/usr/bin/fathom"],
                "Env": ["PATH=/usr/bin", "FATHOM_STORE=/data/runs.sqlite"],
                "Volumes": { "/data": {} },
                "Labels": {
                    "org.opencontainers.image.title": "fathom",
                    "org.opencontainers.image.version": self.version,
                    "org.opencontainers.image.licenses": "MIT OR Apache-2.0",
                },
            },
            "rootfs": { "type": "layers", "diff_ids": [format!("sha256:{}", sha256(&plain))] },
        }));
        let manifest = text(&json!({
            "schemaVersion": 2,
            "mediaType": MANIFEST,
            "config": descriptor(CONFIG, &config),
            "layers": [descriptor(LAYER, &layer)],
        }));
        let mut of_manifest = descriptor(MANIFEST, &manifest);
        of_manifest["annotations"] = json!({ "org.opencontainers.image.ref.name": self.version });
        of_manifest["platform"] = json!({ "architecture": self.architecture, "os": "linux" });
        let index = text(&json!({ "schemaVersion": 2, "mediaType": INDEX, "manifests": [of_manifest] }));
        let mut entries = vec![
            Entry::new("oci-layout", 0o644, text(&json!({ "imageLayoutVersion": "1.0.0" }))),
            Entry::new("index.json", 0o644, index),
        ];
        for blob in [config, manifest, layer] {
            entries.push(Entry::new(format!("blobs/sha256/{}", sha256(&blob)), 0o644, blob));
        }
        tar(&entries, "", time_s)
    }
}

fn text(value: &Value) -> Vec<u8> {
    value.to_string().into_bytes()
}

fn descriptor(media_type: &str, blob: &[u8]) -> Value {
    json!({ "mediaType": media_type, "digest": format!("sha256:{}", sha256(blob)), "size": blob.len() })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    /// The files of a tar archive.
    fn files(archive: &[u8]) -> BTreeMap<String, Vec<u8>> {
        let mut files = BTreeMap::new();
        let mut at = 0;
        while archive[at] != 0 {
            let field = |from: usize, to: usize| {
                let bytes = &archive[at + from..at + to];
                String::from_utf8_lossy(bytes).trim_end_matches('\0').to_owned()
            };
            let size = usize::from_str_radix(&field(124, 135), 8).expect("a size");
            files.insert(field(0, 100), archive[at + 512..at + 512 + size].to_vec());
            at += 512 + size.next_multiple_of(512);
        }
        files
    }

    #[test]
    fn every_blob_is_where_its_digest_says_and_as_long_as_it_says() {
        let image = Image { version: "1.2.3", architecture: "amd64" };
        let files = files(&image.bytes(&[Entry::new("usr/bin/fathom", 0o755, "x")], 7).expect("an image"));
        let read = |bytes: &[u8]| serde_json::from_slice::<Value>(bytes).expect("JSON");
        let blob = |descriptor: &Value| {
            let digest = descriptor["digest"].as_str().expect("a digest").replace(':', "/");
            let bytes = &files[&format!("blobs/{digest}")];
            assert_eq!(descriptor["size"], bytes.len());
            assert_eq!(digest, format!("sha256/{}", sha256(bytes)));
            bytes.clone()
        };
        let index = read(&files["index.json"]);
        let manifest = read(&blob(&index["manifests"][0]));
        let config = read(&blob(&manifest["config"]));
        blob(&manifest["layers"][0]);
        assert_eq!(config["config"]["Entrypoint"][0], "/usr/bin/fathom");
        assert_eq!(read(&files["oci-layout"])["imageLayoutVersion"], "1.0.0");
    }
}
