//! The coverage tables of the documentation are those of the program.

use std::fmt::Write;
use std::path::Path;

use fathom_tools::fio::option_tables::{Class, OptionRow, all_engines, all_options};

const BEGIN: &str = "<!-- fio options: begin -->\n";
const END: &str = "<!-- fio options: end -->\n";

fn tables() -> String {
    let mut text =
        String::from("\n| class | options of every job | options of single engines |\n|---|---|---|\n");
    for class in [Class::Implement, Class::Map, Class::Accept, Class::Warn, Class::HandOver] {
        let count = |own: bool| {
            all_options().iter().filter(|row| row.class == class && row.engines.is_empty() != own).count()
        };
        let _ = writeln!(text, "| {} | {} | {} |", class.word(), count(false), count(true));
    }
    text += "\n| option | class | what becomes of it |\n|---|---|---|\n";
    for row in all_options().iter().filter(|row| row.engines.is_empty() || row.class != Class::HandOver) {
        let _ = writeln!(text, "| {} | {} | {} |", names(row), row.class.word(), row.words);
    }
    text += "\n| engine of fio | engine of fathom | |\n|---|---|---|\n";
    for row in all_engines() {
        let _ =
            writeln!(text, "| `{}` | {} | {} |", row.name, row.fathom.unwrap_or("fio's to do"), row.words);
    }
    text.push('\n');
    text
}

fn names(row: &OptionRow) -> String {
    let names: Vec<String> =
        std::iter::once(&row.name).chain(&row.aliases).map(|name| format!("`{name}`")).collect();
    let of = if row.engines.is_empty() { String::new() } else { format!(" ({})", row.engines.join(", ")) };
    names.join(", ") + &of
}

/// With `FATHOM_WRITE_DOCS` set the page is written anew.
#[test]
fn the_page_has_the_tables_of_the_program() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/interop.md");
    let page = std::fs::read_to_string(&path).expect("the page on other tools");
    let (before, rest) = page.split_once(BEGIN).expect("a mark where the tables begin");
    let (found, after) = rest.split_once(END).expect("a mark where the tables end");
    let wanted = tables();
    if std::env::var_os("FATHOM_WRITE_DOCS").is_some() {
        std::fs::write(&path, format!("{before}{BEGIN}{wanted}{END}{after}"))
            .expect("the page can be written");
        return;
    }
    assert_eq!(found, wanted, "run this test with FATHOM_WRITE_DOCS=1");
}
