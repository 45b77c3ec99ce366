//! The binary: its output, how it stops, and its exit codes.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use thrift::protocol::{
    TBinaryInputProtocol, TBinaryOutputProtocol, TInputProtocol, TMessageIdentifier, TMessageType, TOutputProtocol,
};

fn hjall(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hjall"));
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// A running server, which is killed when the test ends early.
struct Running {
    child: Child,
    addr: String,
}

impl Running {
    fn start(arguments: &[&str]) -> Self {
        let all = [&["serve", "--listen", "127.0.0.1:0"], arguments].concat();
        Self::of(hjall(&all))
    }

    fn of(mut command: Command) -> Self {
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let addr = line.strip_prefix("hjall listening on ").unwrap().trim_end().to_owned();
        Self { child, addr }
    }

    /// Stops the server with a signal, as an operator does. Returns its exit code and its log.
    fn stop(mut self, signal: &str) -> (Option<i32>, String) {
        assert!(Command::new("kill").arg(signal).arg(self.child.id().to_string()).status().unwrap().success());
        let code = self.child.wait().unwrap().code();
        let mut log = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut log).unwrap();
        (code, log)
    }

    fn cluster_id(&self) -> String {
        let mut stream = TcpStream::connect(&self.addr).unwrap();
        let mut call = Vec::new();
        let mut out = TBinaryOutputProtocol::new(&mut call, true);
        out.write_message_begin(&TMessageIdentifier::new("getClusterId", TMessageType::Call, 1)).unwrap();
        out.write_field_stop().unwrap();
        stream.write_all(&call).unwrap();
        let mut input = TBinaryInputProtocol::new(stream, true);
        assert_eq!(input.read_message_begin().unwrap().message_type, TMessageType::Reply);
        input.read_field_begin().unwrap();
        input.read_string().unwrap()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Usually it has already ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A start that fails: its exit code, and its only line of output, the reason.
fn failed(arguments: &[&str]) -> (Option<i32>, String) {
    let Output { status, stdout, stderr } = hjall(arguments).output().unwrap();
    assert_eq!(stdout, b"", "no address is printed");
    let text = String::from_utf8(stderr).unwrap();
    let why = text.lines().last().unwrap().to_owned();
    (status.code(), why)
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn a_signal_stops_the_server_cleanly_and_keeps_its_data() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let mut ids = Vec::new();
    for signal in ["-TERM", "-INT"] {
        let running = Running::start(&["--data", text(&data)]);
        ids.push(running.cluster_id());
        let (code, log) = running.stop(signal);
        assert_eq!(code, Some(0), "{log}");
    }
    assert_eq!(ids[0], ids[1], "the second run found the data of the first");
}

#[test]
fn the_log_says_once_what_is_served_at_which_address() {
    for (format, version) in [("human", "version=\""), ("json", "\"version\":\"")] {
        let running = Running::start(&["--memory", "--log-format", format]);
        let addr = running.addr.clone();
        let (_, log) = running.stop("-TERM");
        let first = log.lines().next().unwrap();
        assert!(first.contains(&format!("{version}{}", env!("CARGO_PKG_VERSION"))), "{first}");
        assert!(first.contains(&addr) && first.contains("memory") && first.contains("startup_ms"), "{first}");
        assert_eq!(format == "json", log.lines().all(|line| line.starts_with('{')), "{log}");
    }
}

#[test]
fn another_protocol_is_logged_in_one_line_with_the_remedy() {
    for (opening, says) in [
        (&b"HBas\0\x50\0\0\0\x20"[..], "HBase's native RPC"),
        (b"\0\0\0\x2d\0\0\0\0\0\0\0\0", "ZooKeeper"),
        (b"*1\r\n$4\r\nPING\r\n", "Redis"),
        (b"\x16\x03\x01\x02\0\x01\0\x01", "--tls-cert"),
        (b"\xde\xad\xbe\xef", "an unknown protocol"),
    ] {
        let running = Running::start(&["--memory"]);
        let mut stream = TcpStream::connect(&running.addr).unwrap();
        stream.write_all(opening).unwrap();
        // The connection ends or fails: the server has processed it.
        let _ = stream.read_to_end(&mut Vec::new());
        let (_, log) = running.stop("-TERM");
        assert_eq!(log.lines().filter(|line| line.contains(says)).count(), 1, "{log}");
    }
}

#[test]
fn a_port_in_use_is_named_and_gives_exit_code_3() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let addr = taken.local_addr().unwrap().to_string();
    let (code, why) = failed(&["serve", "--memory", "--listen", &addr]);
    assert!(code == Some(3) && why.contains(&addr) && why.contains("--listen"), "{code:?} {why}");
}

#[test]
fn a_folder_in_use_is_named_and_gives_exit_code_4() {
    let folder = tempfile::tempdir().unwrap();
    let _running = Running::start(&["--data", text(folder.path())]);
    let (code, why) = failed(&["serve", "--listen", "127.0.0.1:0", "--data", text(folder.path())]);
    assert!(code == Some(4) && why.contains(text(folder.path())) && why.contains("--data"), "{code:?} {why}");
}

#[test]
fn a_failed_start_prints_one_line() {
    let missing =
        ["serve", "--memory", "--listen", "127.0.0.1:0", "--tls-cert", "/no/cert.pem", "--tls-key", "/no/key.pem"];
    for (arguments, expected, named) in [
        (&["serve", "--memory", "--listen", "nowhere"][..], 2, "--listen: server.listen = \"nowhere\""),
        (&["serve", "--memory", "--log", "a=b=c"], 2, "--log: log.filter = a=b=c"),
        (&["serve", "--listen", "127.0.0.1:0", "--data", "/dev/null/x"], 6, "/dev/null/x"),
        (&missing, 7, "/no/cert.pem"),
    ] {
        let (code, why) = failed(arguments);
        assert!(code == Some(expected) && why.contains(named), "{code:?} {why}");
    }
}

#[test]
fn version_and_help_are_printed() {
    let said = |arguments: &[&str]| String::from_utf8(hjall(arguments).output().unwrap().stdout).unwrap();
    assert_eq!(said(&["--version"]), format!("hjall {}\n", env!("CARGO_PKG_VERSION")));
    assert!(said(&["--help"]).contains("hjall serve --data"));
    assert!(said(&["serve", "--help"]).contains("Exit codes:"));
}

#[cfg(target_os = "linux")]
#[test]
fn the_limit_on_open_files_is_raised_and_logged_if_too_low() {
    let limits = |pid: u32| {
        let text = std::fs::read_to_string(format!("/proc/{pid}/limits")).unwrap();
        let line = text.lines().find(|line| line.starts_with("Max open files")).unwrap().to_owned();
        line.split_whitespace().filter_map(|word| word.parse::<u64>().ok()).collect::<Vec<_>>()
    };
    // As from a shell whose soft limit is lower, and whose hard limit is lower than connections need.
    let binary = env!("CARGO_BIN_EXE_hjall");
    let script = format!(
        "ulimit -Sn 500 && ulimit -Hn 900 && exec {binary} serve --memory --listen 127.0.0.1:0 --info-listen off"
    );
    let mut command = Command::new("sh");
    command.args(["-c", &script]).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let running = Running::of(command);
    assert_eq!(limits(running.child.id()), [900, 900]);
    let (code, log) = running.stop("-TERM");
    assert!(code == Some(0) && log.contains("limits.connections"), "{log}");
}

#[test]
fn compact_processes_a_folder_that_is_not_in_use() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let (code, why) = failed(&["compact", "--data", text(&data)]);
    assert!(code == Some(2) && why.contains(text(&data)), "{code:?} {why}");
    let running = Running::start(&["--data", text(&data)]);
    let (code, why) = failed(&["compact", "--data", text(&data)]);
    assert!(code == Some(4) && why.contains("in use"), "{code:?} {why}");
    running.stop("-TERM");

    let engine = hjall_engine::Engine::open(&data, hjall_engine::Options::default()).unwrap();
    for name in ["kept", "ns:off"] {
        let name = hjall_engine::name::TableName::parse(name.as_bytes()).unwrap();
        if name.namespace() != "default" {
            engine.create_namespace(hjall_engine::schema::NamespaceDescriptor::new(name.namespace())).unwrap();
        }
        let mut table = hjall_engine::schema::TableDescriptor::new(name.clone());
        table.add_family(hjall_engine::schema::FamilyDescriptor::new("f").unwrap()).unwrap();
        engine.create_table(table, vec![]).unwrap();
        if name.namespace() != "default" {
            engine.disable_table(&name).unwrap();
        }
    }
    engine.close().unwrap();
    let Output { status, stdout, stderr } = hjall(&["compact", "--data", text(&data)]).output().unwrap();
    let said = String::from_utf8(stdout).unwrap();
    assert!(status.success(), "{}", String::from_utf8_lossy(&stderr));
    let lines: Vec<_> = said.lines().collect();
    assert!(lines.len() == 2 && lines[0].starts_with("kept: 0 bytes before, 0 after"), "{said}");
    assert_eq!(lines[1], "ns:off: disabled, left as it is");
    let (code, why) = failed(&["compact", "--data", text(&data), "kept", "missing"]);
    assert!(code == Some(2) && why.contains("missing"), "{code:?} {why}");
}

#[test]
fn backup_restore_and_verify_process_folders() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (data, copy, back, live) = (path("data"), path("copy"), path("back"), path("live"));
    let running = Running::start(&["--data", &data]);
    let id = running.cluster_id();
    let (code, why) = failed(&["verify", "--data", &data]);
    assert!(code == Some(4) && why.contains("in use"), "{code:?} {why}");
    // The server writes this one. A destination that is in use is refused as without a server.
    assert!(hjall(&["backup", &live, "--data", &data]).status().unwrap().success());
    let (code, why) = failed(&["backup", &live, "--data", &data]);
    assert!(code == Some(2) && why.contains(&live), "{code:?} {why}");
    running.stop("-TERM");
    for arguments in [
        &["verify", "--data", &data][..],
        &["backup", &copy, "--data", &data],
        &["restore", &copy, "--data", &back],
        &["verify", "--data", &live],
        &["verify", "--data", &back],
    ] {
        let Output { status, stderr, .. } = hjall(arguments).output().unwrap();
        assert!(status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&stderr));
    }
    let (code, why) = failed(&["backup", &copy, "--data", &data]);
    assert!(code == Some(2) && why.contains(&copy), "{code:?} {why}");
    let restored = Running::start(&["--data", &back]);
    assert_eq!(restored.cluster_id(), id);
    restored.stop("-TERM");
}
