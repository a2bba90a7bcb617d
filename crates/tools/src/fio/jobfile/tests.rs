//! Job files with fio's traps.

use proptest::prelude::*;

use super::*;

fn none(_: &str, _: &str) -> io::Result<String> {
    Err(io::ErrorKind::NotFound.into())
}

fn read(text: &str) -> Result<Vec<Section>, Refusal> {
    parse(text, "a.fio", &mut none)
}

fn pairs(section: &Section) -> Vec<(&str, Option<&str>)> {
    section.options.iter().map(|option| (option.key.as_str(), option.value.as_deref())).collect()
}

#[test]
fn sections_options_and_comments_are_read_as_fio_reads_them() {
    let text = "\u{feff}; a comment\r\n[global]\r\n  rw = randread ; inline\r\ntime_based # yes\r\n\r\n\
                [job one]\nbs=4k\nfilename=/dev/a:/dev/b\n# gone=1\n[globals too]\niodepth=4\n";
    let sections = read(text).expect("a job file");
    assert_eq!(sections.len(), 3);
    assert_eq!(pairs(&sections[0]), [("rw", Some("randread")), ("time_based", None)]);
    assert_eq!(sections[1].name, "job one");
    assert_eq!(pairs(&sections[1]), [("bs", Some("4k")), ("filename", Some("/dev/a:/dev/b"))]);
    assert_eq!(sections[1].options[0].place, "a.fio, line 7");
    assert_eq!(sections.iter().map(Section::is_global).collect::<Vec<_>>(), [true, false, true]);
}

#[test]
fn a_value_ends_at_a_semicolon_or_hash_within_it() {
    let sections = read("[a]\nfilename=/mnt/x#1;2\nexec_prerun=a=b").expect("a job file");
    assert_eq!(pairs(&sections[0]), [("filename", Some("/mnt/x")), ("exec_prerun", Some("a=b"))]);
}

#[test]
fn included_files_give_their_options_to_the_section() {
    let mut include = |name: &str, from: &str| {
        assert_eq!(from, "dir/a.fio");
        (name == "common.fio").then(|| "bs=8k\nrw=read\n".to_owned()).ok_or(io::ErrorKind::NotFound.into())
    };
    let sections = parse("[a]\ninclude common.fio\nbs=4k\n", "dir/a.fio", &mut include).expect("a job file");
    assert_eq!(pairs(&sections[0]), [("bs", Some("8k")), ("rw", Some("read")), ("bs", Some("4k"))]);
    assert_eq!(sections[0].options[0].place, "common.fio, line 1");
    let mut forever = |_: &str, _: &str| Ok("include again".to_owned());
    assert!(parse("[a]\ninclude x", "a.fio", &mut forever).is_err());
    let mut section = |_: &str, _: &str| Ok("[b]\nbs=4k".to_owned());
    assert!(parse("[a]\ninclude x", "a.fio", &mut section).is_err());
}

#[test]
fn what_is_no_job_file_is_refused_with_its_line() {
    for (text, line) in [("bs=4k\n[a]", 1), ("[a\nbs=4k", 1), ("[a]\n=4k", 2), ("[]\n", 1)] {
        let refusal = read(text).expect_err(text);
        assert_eq!(refusal.place, format!("a.fio, line {line}"), "{text}");
    }
    assert!(read("[a]\ninclude b.fio").unwrap_err().cause.contains("b.fio"));
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in "\\PC*", lines in prop::collection::vec("[a-z\\[\\]=;# \r]{0,12}", 0..30)) {
        let _ = read(&text);
        let _ = read(&lines.join("\n"));
    }
}
