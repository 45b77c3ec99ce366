//! Tests under a limit on the size of files, which comes closest to a full disk and needs no privileges. The journal is
//! truncated in the middle of a commit, as on a full disk.

use std::path::{Path, PathBuf};
use std::process::Command;

const FOLDER: &str = "HJALL_TEST_FULL_FOLDER";

/// The folder that [`in_child`] has given to this process, if it is such a child.
pub fn folder_of_child() -> Option<PathBuf> {
    std::env::var_os(FOLDER).map(PathBuf::from)
}

/// Runs a test of this program in a child process, which may limit the size of its files. `test`: its path. `limits`
/// are shell commands that set limits of the child, or empty. Returns its standard output.
pub fn in_child(test: &str, folder: &Path, limits: &str) -> String {
    let output = Command::new("bash")
        .arg("-c")
        // Without the trap, a write beyond the limit would end the process instead of failing.
        .arg(format!("trap '' XFSZ\n{limits}\nexec \"$0\" \"$@\""))
        .arg(std::env::current_exe().unwrap())
        .arg(test)
        .args(["--exact", "--nocapture", "--test-threads=1"])
        .env(FOLDER, folder)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{said}\n{}", String::from_utf8_lossy(&output.stderr));
    assert!(said.contains("1 passed"), "no test has the path {test}: {said}");
    said
}

/// Limits the size of the files of this process, in bytes or `unlimited`.
pub fn limit_files(bytes: &str) {
    let (pid, limit) = (std::process::id().to_string(), format!("--fsize={bytes}:unlimited"));
    assert!(Command::new("prlimit").args(["--pid", &pid, &limit]).status().unwrap().success());
}
