//! The describe calls of EC2, page by page.
//!
//! Source: EC2 API reference, `DescribeVolumes`, `DescribeInstances` and "Pagination": a page may be empty and still name
//! a next one; only the last names none.

use fathom_tools::Refusal;
use roxmltree::{Document, Node};

use super::inventory::{Attachment, EbsVolume, Ec2Instance, Inventory, Tag};
use crate::aws::{Caller, Machine};

const ANSWER: &str = "an answer of EC2";
const VERSION: &str = "2016-11-15";
/// Volumes or instances of a page: the most that both calls take.
const PAGE: &str = "1000";
/// An account has fewer volumes than this many pages hold.
const MOST_PAGES: usize = 10_000;

/// All volumes and instances that the account has in the caller's region.
///
/// # Errors
/// As the calls; when an answer is none of the provider's, or pages do not end.
pub fn describe<M: Machine>(caller: &mut Caller<'_, M>) -> Result<Inventory, Refusal> {
    let mut volumes = Vec::new();
    pages(caller, "DescribeVolumes", |page| {
        volumes.extend(items(page, "volumeSet").map(volume));
    })?;
    let mut instances = Vec::new();
    pages(caller, "DescribeInstances", |page| {
        for reservation in items(page, "reservationSet") {
            instances.extend(items(reservation, "instancesSet").map(instance));
        }
    })?;
    if volumes.iter().any(|volume: &EbsVolume| volume.volume_id.is_empty()) {
        return Err(Refusal::new(ANSWER, "a volume in it has no volumeId").or(ENDPOINT));
    }
    Ok(Inventory::of(volumes, instances))
}

const ENDPOINT: &str = "see that the endpoint is EC2's own, not a page in front of it";

fn pages<M: Machine>(
    caller: &mut Caller<'_, M>,
    action: &str,
    mut take: impl FnMut(Node<'_, '_>),
) -> Result<(), Refusal> {
    let refused = |cause: String| Refusal::new(ANSWER, cause).at(action).or(ENDPOINT);
    let mut token: Option<String> = None;
    for _ in 0..MOST_PAGES {
        let mut more = vec![("MaxResults", PAGE)];
        more.extend(token.as_deref().map(|token| ("NextToken", token)));
        let body = caller.query(action, VERSION, &more)?;
        let text = String::from_utf8_lossy(&body);
        let page = Document::parse(&text)
            .map_err(|error| refused(format!("it is not XML: {error}")).with_source(error))?;
        let root = page.root_element();
        if root.tag_name().name() != format!("{action}Response") {
            return Err(refused(format!("it is called {}", root.tag_name().name())));
        }
        take(root);
        let next = word(root, "nextToken").filter(|next| !next.is_empty());
        if next.is_none() {
            return Ok(());
        }
        if next == token {
            return Err(refused("a page names itself as the next one".to_owned()));
        }
        token = next;
    }
    Err(refused(format!("more than {MOST_PAGES} pages")))
}

fn child<'a, 'input>(node: Node<'a, 'input>, name: &str) -> Option<Node<'a, 'input>> {
    node.children().find(|child| child.tag_name().name() == name)
}

fn word(node: Node<'_, '_>, name: &str) -> Option<String> {
    child(node, name).and_then(|child| child.text()).map(|text| text.trim().to_owned())
}

fn items<'a, 'input: 'a>(node: Node<'a, 'input>, set: &'a str) -> impl Iterator<Item = Node<'a, 'input>> {
    let set = child(node, set);
    set.into_iter().flat_map(|set| set.children().filter(|child| child.tag_name().name() == "item"))
}

fn volume(node: Node<'_, '_>) -> EbsVolume {
    let number = |name: &str| word(node, name)?.parse().ok();
    let attachment = |node: Node<'_, '_>| Attachment {
        instance_id: word(node, "instanceId"),
        state: word(node, "status").unwrap_or_default(),
    };
    EbsVolume {
        volume_id: word(node, "volumeId").unwrap_or_default(),
        size: number("size").unwrap_or(0),
        volume_type: word(node, "volumeType").unwrap_or_default(),
        iops: number("iops"),
        throughput: number("throughput"),
        state: word(node, "status").unwrap_or_default(),
        multi_attach_enabled: word(node, "multiAttachEnabled").as_deref() == Some("true"),
        attachments: items(node, "attachmentSet").map(attachment).collect(),
        tags: tags(node),
    }
}

fn instance(node: Node<'_, '_>) -> Ec2Instance {
    Ec2Instance {
        instance_id: word(node, "instanceId").unwrap_or_default(),
        instance_type: word(node, "instanceType").unwrap_or_default(),
        tags: tags(node),
    }
}

fn tags(node: Node<'_, '_>) -> Vec<Tag> {
    let tag = |node: Node<'_, '_>| Tag {
        key: word(node, "key").unwrap_or_default(),
        value: word(node, "value").unwrap_or_default(),
    };
    items(node, "tagSet").map(tag).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::aws::{FakeMachine, ServiceOptions};

    const NAMESPACE: &str = "xmlns=\"http://ec2.amazonaws.com/doc/2016-11-15/\"";

    fn page(action: &str, body: &str, next: &str) -> (u16, String) {
        (
            200,
            format!(
                "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<{action}Response {NAMESPACE}><requestId>1</requestId>{body}<nextToken>{next}</nextToken></{action}Response>"
            ),
        )
    }

    fn described(answers: Vec<(u16, String)>) -> (Result<Inventory, Refusal>, Vec<String>) {
        let mut machine = FakeMachine::default();
        for (name, value) in [("AWS_ACCESS_KEY_ID", "A"), ("AWS_SECRET_ACCESS_KEY", "B")] {
            machine.set(name, value);
        }
        machine.queue.extend(answers);
        let asked = ServiceOptions { region: Some("eu-central-1"), ..ServiceOptions::default() };
        let found = describe(&mut Caller::new(&mut machine, ("ec2", "EC2"), asked).unwrap());
        let sent = machine.sent.iter().map(|request| String::from_utf8(request.body.clone()).unwrap());
        (found, sent.collect())
    }

    #[test]
    fn pages_are_followed_over_empty_ones_to_the_last() {
        let volume = "<volumeSet><item><volumeId>vol-1</volumeId><size>100</size><status>in-use</status>\
            <attachmentSet><item><volumeId>vol-1</volumeId><instanceId>i-1</instanceId><status>attached</status></item></attachmentSet>\
            <tagSet><item><key>team</key><value>data &amp; co</value></item></tagSet><volumeType>gp3</volumeType><iops>3000</iops>\
            <throughput>125</throughput><multiAttachEnabled>false</multiAttachEnabled></item></volumeSet>";
        let instance = "<reservationSet><item><reservationId>r-1</reservationId><instancesSet><item><instanceId>i-1</instanceId>\
            <instanceType>m5.large</instanceType></item></instancesSet></item></reservationSet>";
        let (found, sent) = described(vec![
            page("DescribeVolumes", "<volumeSet/>", "a"),
            page("DescribeVolumes", volume, "b"),
            page("DescribeVolumes", "<volumeSet></volumeSet>", ""),
            page("DescribeInstances", instance, ""),
        ]);
        let found = found.unwrap();
        let volume = found.volume("vol-1").unwrap();
        assert_eq!(
            (volume.words().as_str(), volume.tag("team")),
            ("gp3:iops=3000,throughput=125", Some("data & co"))
        );
        assert_eq!(
            found.holder("vol-1").and_then(|id| found.instance(id)).unwrap().instance_type,
            "m5.large"
        );
        assert!(
            sent[0].starts_with("Action=DescribeVolumes&Version=2016-11-15&MaxResults=1000")
                && sent[2].ends_with("NextToken=b"),
            "{sent:?}"
        );
        let (empty, _) = described(vec![
            page("DescribeVolumes", "<volumeSet/>", ""),
            page("DescribeInstances", "<reservationSet/>", ""),
        ]);
        assert!(empty.unwrap().is_empty());
    }

    #[test]
    fn answers_that_are_none_are_refused() {
        let endless = vec![page("DescribeVolumes", "", "same"), page("DescribeVolumes", "", "same")];
        assert!(described(endless).0.unwrap_err().cause.contains("names itself"));
        for body in [
            "<html></html>",
            "{}",
            "<html",
            "<DescribeVolumesResponse><volumeSet><item/></volumeSet></DescribeVolumesResponse>",
        ] {
            let answers = vec![(200, body.to_owned()), page("DescribeInstances", "", "")];
            let refused = described(answers).0.unwrap_err();
            assert!(refused.remedy.contains("EC2's own"), "{body}: {refused}");
        }
    }
}
