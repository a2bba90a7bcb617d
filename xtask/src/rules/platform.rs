//! Platform code is a file that its folder chooses, not a `cfg` inside a function.

use crate::finding::Finding;
use crate::scan::functions;
use crate::tree::Tree;

const CONDITIONS: [&str; 5] = ["target_os", "target_family", "(unix", "(windows", "(not(windows"];

pub fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in tree.rust() {
        let functions = functions(&file.scan.code);
        for (index, line) in file.scan.code.lines().enumerate() {
            let squeezed = line.replace(' ', "");
            let asks = ["cfg(", "cfg!(", "cfg_select!"].iter().any(|cfg| squeezed.contains(cfg));
            let inside = functions.iter().any(|f| f.first_line <= index + 1 && index < f.last_line);
            if asks && inside && CONDITIONS.iter().any(|condition| squeezed.contains(condition)) {
                let message =
                    "a platform is chosen inside a function: make a file for each and choose in `mod.rs`";
                findings.push(Finding::new(&file.path, index + 1, message));
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn platforms_are_chosen_outside_functions() {
        let source = "#[cfg(target_os = \"linux\")]\nmod linux;\nfn a() {\n    #[cfg(target_os = \"linux\")]\n    b();\n\
                      if cfg!(windows) {}\n    #[cfg(test)]\n    c();\n}\n#[cfg(unix)]\nfn d() {}\n";
        let lines: Vec<usize> = check(&Tree::of(&[("a.rs", source)])).iter().map(|f| f.line).collect();
        assert_eq!(lines, [4, 6]);
    }
}
