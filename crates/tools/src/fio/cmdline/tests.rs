//! Command lines as people type them.

use proptest::prelude::*;

use super::*;

fn read(words: &[&str]) -> Result<Invocation, Refusal> {
    parse(&words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>())
}

fn options_of(words: &[&str]) -> Vec<(String, Option<String>)> {
    let invocation = read(words).expect("a command line");
    invocation.options.into_iter().map(|option| (option.key, option.value)).collect()
}

fn pair(key: &str, value: &str) -> (String, Option<String>) {
    (key.to_owned(), Some(value.to_owned()))
}

#[test]
fn one_hyphen_or_two_tied_or_not() {
    let want = [pair("name", "a"), pair("rw", "randread"), ("time_based".to_owned(), None), pair("bs", "4k")];
    assert_eq!(options_of(&["--name=a", "--rw=randread", "--time_based", "--bs=4k"]), want);
    assert_eq!(options_of(&["-name=a", "-rw=randread", "-time_based", "-bs=4k"]), want);
    assert_eq!(options_of(&["--name", "a", "-rw", "randread", "--time_based", "--bs", "4k"]), want);
    assert_eq!(options_of(&["--readwrite=read"]), [pair("readwrite", "read")]);
    assert_eq!(options_of(&["--norandom"]), [("norandommap".to_owned(), None)], "a start that is one name's");
}

#[test]
fn files_and_options_of_the_command_stand_anywhere() {
    let invocation = read(&["a.fio", "--output-format=json+,normal", "b.fio", "-o", "out", "--section", "x"])
        .expect("a command line");
    assert_eq!(invocation.files, ["a.fio", "b.fio"]);
    assert_eq!(invocation.globals.output.as_deref(), Some("out"));
    assert_eq!(invocation.globals.sections, ["x"]);
    let forms = invocation.globals.wanted();
    assert!(forms.normal && forms.json_plus && !forms.json);
    assert!(read(&[]).expect("nothing").globals.wanted().normal);
    assert!(read(&["--minimal"]).expect("terse").globals.wanted().terse);
    assert!(!read(&["--client=host", "a.fio"]).expect("a client").globals.reasons.is_empty());
}

#[test]
fn what_makes_no_sense_is_refused_with_its_argument() {
    for (words, place) in [
        (vec!["--name=a", "\u{2013}rw=read"], "argument 2"),
        (vec!["--nonsense=1"], "argument 1"),
        (vec!["--bs"], "argument 1"),
        (vec!["--thinktime_=1"], "argument 1"),
        (vec!["--output-format=yaml"], "argument 1"),
        (vec!["--engine=aio"], "argument 1"),
    ] {
        assert_eq!(read(&words).expect_err(words[0]).place, place, "{words:?}");
    }
}

proptest! {
    #[test]
    fn any_words_are_read_or_refused(words in prop::collection::vec("\\PC{0,12}|--?[a-z_]{1,9}(=[a-z0-9]{0,4})?", 0..12)) {
        let _ = parse(&words);
    }
}
