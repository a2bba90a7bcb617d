//! `fathom agents`: the machines that agents can be started on, as a manifest for a cluster.

mod yaml;

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::arguments::client_arguments::AgentsArguments;
use crate::exit_status::Status;
use crate::failure::Failure;
use crate::output;
use crate::output_file::{Content, OutputFile};

/// Pods of one manifest at most: as many as a run takes clients.
const PODS_MAX: u32 = 256;
/// Longest name of a StatefulSet: its pods have a number behind it, and a label of at most 63 letters.
const NAME_MAX: usize = 52;
/// Longest name of a namespace or claim (RFC 1123 label, DNS subdomain).
const LABEL_MAX: usize = 63;
const SUBDOMAIN_MAX: usize = 253;
/// Where a claim is mounted.
const DATA: &str = "/mnt/data";
/// Nobody's user and group: an agent needs no rights of its own.
const NOBODY: u32 = 65_534;

/// Prints the manifest, and writes the clients' file where one is asked for.
///
/// # Errors
/// When a name is not one of the cluster's, or the file is there already.
pub fn perform(arguments: &AgentsArguments) -> Result<Status, Failure> {
    check(arguments)?;
    let clients = clients(arguments);
    let mut text = String::new();
    match &arguments.clients_out {
        Some(path) => {
            let file = OutputFile::check(path, Content::Foreign { force: false })?;
            file.write(&clients)?;
            let _ = writeln!(text, "# Clients: fathom run --clients {}", path.display());
        }
        None => {
            text += "# Clients, for a file that `fathom run --clients FILE` takes:\n";
            clients.lines().for_each(|line| {
                let _ = writeln!(text, "# {line}");
            });
        }
    }
    let documents: Vec<String> = documents(arguments).iter().map(yaml::of).collect();
    output::result(&(text + &documents.join("---\n")))?;
    Ok(Status::Done)
}

fn check(arguments: &AgentsArguments) -> Result<(), Failure> {
    let refuse = |flag: &str, cause: String, remedy: &str| Err(Failure::usage(flag, cause, remedy));
    if arguments.kubernetes == 0 || arguments.kubernetes > PODS_MAX {
        let cause = format!("{} pods are not a number of clients", arguments.kubernetes);
        return refuse("--kubernetes", cause, "write 1 to 256");
    }
    let image = &arguments.image;
    if image.is_empty()
        || image.starts_with('-')
        || image.chars().any(|c| c.is_whitespace() || c.is_control())
    {
        return refuse("--image", format!("{image:?} is not a name of an image"), "e.g. registry/fathom:1.0");
    }
    let names = [
        ("--stateful-set", Some(&arguments.stateful_set), NAME_MAX, false),
        ("--namespace", Some(&arguments.namespace), LABEL_MAX, false),
        ("--pvc", arguments.pvc.as_ref(), SUBDOMAIN_MAX, true),
    ];
    for (flag, name, longest, takes_dots) in names {
        if let Some(name) = name.filter(|name| !is_name(name, longest, takes_dots)) {
            let remedy =
                "use lower-case letters, digits and dashes, beginning and ending in a letter or digit";
            let cause = format!("{name:?} is not a name that a cluster takes, of at most {longest} letters");
            return refuse(flag, cause, remedy);
        }
    }
    Ok(())
}

/// A name as RFC 1123 has them.
fn is_name(name: &str, longest: usize, takes_dots: bool) -> bool {
    let is_label = |label: &str| {
        let inner = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        !label.is_empty() && label.chars().all(inner) && !label.starts_with('-') && !label.ends_with('-')
    };
    name.len() <= longest
        && name.split('.').all(is_label)
        && (takes_dots || !name.contains('.'))
        // A Service's name begins with a letter.
        && (takes_dots || name.starts_with(|c: char| c.is_ascii_lowercase()))
}

/// The file of clients: a table for each pod.
fn clients(arguments: &AgentsArguments) -> String {
    let AgentsArguments { stateful_set: name, namespace, kubernetes, .. } = arguments;
    let one = |number: u32| format!("[[client]]\nreach = \"kubectl:{namespace}/{name}-{number}\"\n");
    (0..*kubernetes).map(one).collect::<Vec<_>>().join("\n")
}

/// The manifest's documents: a service without an address, which the pods' names belong to, and the pods.
fn documents(arguments: &AgentsArguments) -> [Value; 2] {
    let AgentsArguments { stateful_set: name, namespace, kubernetes, image, pvc, .. } = arguments;
    let label = json!({ "app.kubernetes.io/name": name });
    let metadata = json!({ "name": name, "namespace": namespace, "labels": label });
    let service = json!({
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": metadata,
        "spec": { "clusterIP": "None", "selector": label },
    });
    let mut container = json!({
        "name": "agent",
        "image": image,
        // It waits for a coordinator that never comes to this one: others are started beside it.
        "command": ["fathom", "agent"],
        "stdin": true,
        "securityContext": {
            "allowPrivilegeEscalation": false,
            "capabilities": { "drop": ["ALL"] },
        },
    });
    let mut pod = json!({
        "automountServiceAccountToken": false,
        "enableServiceLinks": false,
        "terminationGracePeriodSeconds": 5,
        "securityContext": {
            "runAsNonRoot": true,
            "runAsUser": NOBODY,
            "runAsGroup": NOBODY,
            "fsGroup": NOBODY,
            "seccompProfile": { "type": "RuntimeDefault" },
        },
        // Clients on one node share its network card.
        "affinity": {
            "podAntiAffinity": {
                "requiredDuringSchedulingIgnoredDuringExecution": [{
                    "labelSelector": { "matchLabels": label },
                    "topologyKey": "kubernetes.io/hostname",
                }],
            },
        },
    });
    if let Some(claim) = pvc {
        container["volumeMounts"] = json!([{ "name": "data", "mountPath": DATA }]);
        pod["volumes"] = json!([{ "name": "data", "persistentVolumeClaim": { "claimName": claim } }]);
    }
    pod["containers"] = json!([container]);
    let set = json!({
        "apiVersion": "apps/v1",
        "kind": "StatefulSet",
        "metadata": metadata,
        "spec": {
            "replicas": kubernetes,
            "serviceName": name,
            "podManagementPolicy": "Parallel",
            "selector": { "matchLabels": label },
            "template": { "metadata": { "labels": label }, "spec": pod },
        },
    });
    [service, set]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arguments(pvc: Option<&str>) -> AgentsArguments {
        AgentsArguments {
            kubernetes: 3,
            image: "registry:5000/fathom:1.0".to_owned(),
            pvc: pvc.map(str::to_owned),
            stateful_set: "agents".to_owned(),
            namespace: "storage".to_owned(),
            clients_out: None,
        }
    }

    /// What a field is.
    enum Form {
        Text,
        Number,
        Flag,
        Map,
        List,
    }
    use Form::{Flag, List, Map, Number, Text};

    /// Every field that is written, with its form, as the reference of Kubernetes' API v1.31 lists them (pages Service,
    /// StatefulSet, PodSpec, Container, PodAntiAffinity, PersistentVolumeClaimVolumeSource).
    const FIELDS: [(&str, &[(&str, Form)]); 14] = [
        ("", &[("apiVersion", Text), ("kind", Text), ("metadata", Map), ("spec", Map)]),
        ("metadata", &[("name", Text), ("namespace", Text), ("labels", Map)]),
        (
            "spec",
            &[
                ("replicas", Number),
                ("serviceName", Text),
                ("podManagementPolicy", Text),
                ("selector", Map),
                ("template", Map),
                ("clusterIP", Text),
            ],
        ),
        ("spec/template", &[("metadata", Map), ("spec", Map)]),
        ("spec/template/metadata", &[("labels", Map)]),
        (
            "spec/template/spec",
            &[
                ("automountServiceAccountToken", Flag),
                ("enableServiceLinks", Flag),
                ("terminationGracePeriodSeconds", Number),
                ("securityContext", Map),
                ("affinity", Map),
                ("containers", List),
                ("volumes", List),
            ],
        ),
        (
            "spec/template/spec/securityContext",
            &[
                ("runAsNonRoot", Flag),
                ("runAsUser", Number),
                ("runAsGroup", Number),
                ("fsGroup", Number),
                ("seccompProfile", Map),
            ],
        ),
        (
            "spec/template/spec/containers/0",
            &[
                ("name", Text),
                ("image", Text),
                ("command", List),
                ("stdin", Flag),
                ("securityContext", Map),
                ("volumeMounts", List),
            ],
        ),
        (
            "spec/template/spec/containers/0/securityContext",
            &[("allowPrivilegeEscalation", Flag), ("capabilities", Map)],
        ),
        ("spec/template/spec/containers/0/volumeMounts/0", &[("name", Text), ("mountPath", Text)]),
        ("spec/template/spec/volumes/0", &[("name", Text), ("persistentVolumeClaim", Map)]),
        ("spec/template/spec/volumes/0/persistentVolumeClaim", &[("claimName", Text)]),
        ("spec/template/spec/affinity", &[("podAntiAffinity", Map)]),
        (
            "spec/template/spec/affinity/podAntiAffinity/requiredDuringSchedulingIgnoredDuringExecution/0",
            &[("labelSelector", Map), ("topologyKey", Text)],
        ),
    ];

    /// Fields that must be there, as the same pages call them required.
    const REQUIRED: [&str; 9] = [
        "apiVersion",
        "kind",
        "metadata/name",
        "spec/selector/matchLabels",
        "spec/serviceName",
        "spec/template/metadata/labels",
        "spec/template/spec/containers/0/name",
        "spec/template/spec/containers/0/image",
        "spec/template/spec/affinity/podAntiAffinity/requiredDuringSchedulingIgnoredDuringExecution/0/topologyKey",
    ];

    fn at<'v>(document: &'v Value, path: &str) -> Option<&'v Value> {
        if path.is_empty() { Some(document) } else { document.pointer(&format!("/{path}")) }
    }

    #[test]
    fn every_field_is_one_of_the_published_ones_and_the_required_ones_are_there() {
        for pvc in [None, Some("shared.data")] {
            for document in documents(&arguments(pvc)) {
                for (path, fields) in FIELDS {
                    let Some(value) = at(&document, path) else { continue };
                    if path == "spec" && document["kind"] == "Service" {
                        continue;
                    }
                    for (name, value) in value.as_object().unwrap() {
                        let form = fields.iter().find(|(known, _)| known == name);
                        let (_, form) = form.unwrap_or_else(|| panic!("{path}/{name} is not published"));
                        let fits = match form {
                            Text => value.is_string(),
                            Number => value.is_u64(),
                            Flag => value.is_boolean(),
                            Map => value.is_object(),
                            List => value.is_array(),
                        };
                        assert!(fits, "{path}/{name}: {value}");
                    }
                }
            }
            let [service, set] = documents(&arguments(pvc));
            for path in REQUIRED {
                assert!(at(&set, path).is_some(), "{path}");
            }
            assert_eq!((&service["apiVersion"], &service["kind"]), (&json!("v1"), &json!("Service")));
            assert_eq!((&set["apiVersion"], &set["kind"]), (&json!("apps/v1"), &json!("StatefulSet")));
            // The selector of a set must match the labels of its template, and a service's name is the set's.
            let labels = &set["spec"]["template"]["metadata"]["labels"];
            assert_eq!(&set["spec"]["selector"]["matchLabels"], labels);
            assert_eq!(
                (&service["spec"]["selector"], &service["metadata"]["name"]),
                (labels, &set["spec"]["serviceName"])
            );
            let mounts = set.pointer("/spec/template/spec/containers/0/volumeMounts/0/name");
            assert_eq!(mounts, set.pointer("/spec/template/spec/volumes/0/name"));
            assert_eq!(mounts.is_some(), pvc.is_some());
        }
    }

    #[test]
    fn there_is_a_client_for_each_pod_and_it_can_be_read() {
        let typed = fathom_plan::clients_of_file(&clients(&arguments(None)), "clients.toml").unwrap();
        assert_eq!(
            typed,
            ["kubectl:storage/agents-0", "kubectl:storage/agents-1", "kubectl:storage/agents-2"]
        );
    }

    #[test]
    fn names_that_a_cluster_does_not_take_are_refused() {
        assert!(check(&arguments(Some("a.b"))).is_ok());
        let wrong: [fn(&mut AgentsArguments); 7] = [
            |it| it.kubernetes = 0,
            |it| it.kubernetes = 257,
            |it| it.image = "a b".to_owned(),
            |it| it.stateful_set = "Agents".to_owned(),
            |it| it.stateful_set = "1a".to_owned(),
            |it| it.namespace = "a\nb".to_owned(),
            |it| it.pvc = Some("-x".to_owned()),
        ];
        for change in wrong {
            let mut changed = arguments(None);
            change(&mut changed);
            assert!(check(&changed).is_err(), "{changed:?}");
        }
    }
}
