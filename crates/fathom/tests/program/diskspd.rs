//! diskspd's command lines, as they are typed.

use crate::typed::Typist;

#[test]
fn a_command_line_prints_diskspds_result_and_saves_a_record() {
    let typist = Typist::new();
    let ran = typist.run(&["diskspd", "-b4K", "-r", "-o4", "-t2", "-w30", "-d2", "-W1", "-L", "sim:nvme"]);
    assert_eq!(ran.status, 0, "{ran:?}");
    for part in ["Command Line: diskspd -b4K -r", "actual test time:\t2.00s", "Read IO\n", "3-nines |"] {
        assert!(ran.stdout.contains(part), "{part}: {ran:?}");
    }
    let record = typist.json(&["show", "last", "--json"]);
    assert_eq!((&record["workload"]["jobs"], &record["workload"]["depth"]), (&2.into(), &4.into()));
    assert_eq!(record["jobs"][1]["directions"].as_array().unwrap().len(), 2);
    let xml = typist.run(&["diskspd", "-b4K", "-r", "-d1", "-W0", "-Rxml", "sim:nvme"]);
    assert!(xml.stdout.starts_with("<Results>\n") && xml.stdout.ends_with("</Results>\n"), "{xml:?}");
}

#[test]
fn what_is_no_flag_says_what_to_type() {
    let typist = Typist::new();
    for (arguments, told) in [
        (&["diskspd", "\u{2013}b4K", "sim:nvme"][..], "type -b4K"),
        (&["diskspd", "-b4K", "-Q", "sim:nvme"], "no such flag"),
        (&["diskspd", "-h", r"D:\testfile.dat"], r"--drive 'D:=/mnt/scratch'"),
        (&["diskspd", "-b4K", "no-such-file"], "add its size: -c1G"),
    ] {
        let ran = typist.run(arguments);
        assert_eq!(ran.status, 2, "{ran:?}");
        assert!(ran.stderr.contains(told), "{ran:?}");
    }
}
