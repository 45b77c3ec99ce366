//! The control socket, by which `hjall backup` and `hjall shell` ask the server that has a data folder open.
//!
//! It is `control` in the data folder, accessible only to the server's user. A request is a line: `addresses` asks
//! where clients can connect; `backup LENGTH` or `backup-incremental LENGTH` for a backup to the path that follows,
//! which is LENGTH bytes long. The answer is lines: `progress TEXT` any number of times, and at the end `done`, or
//! `failed CODE TEXT` with the exit code of the command. If the asking process ends, so does the backup.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::Shutdown;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError, Weak};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use hjall_engine::{Engine, Error, ErrorKind, FamilyProgress};
use hjall_server::access::audit;
use tokio::net::UnixSocket;

use super::backup::{Extent, Reporter, failed_backup};
use super::exit::Failure;
use super::folder::name_of;
use super::output::say;

const NAME: &str = "control";
const BACKUP: &str = "backup ";
const INCREMENTAL: &str = "backup-incremental ";
const ADDRESSES: &str = "addresses";
const PROGRESS: &str = "progress ";
const DONE: &str = "done";
const FAILED: &str = "failed ";

/// Bytes of a path. Operating systems allow 4,096.
const PATH_BYTES_MAX: u64 = 64 << 10;

/// How long a whole request may take to arrive.
const REQUEST_WAIT: Duration = Duration::from_secs(5);

/// How long a line of the answer may take to be taken.
const PEER_WAIT: Duration = Duration::from_secs(10);

/// Requests that are served at once.
const REQUESTS_MAX: usize = 4;

/// Connections that wait until they are accepted.
const WAITING_MAX: u32 = 128;

const COMMAND_ENDED: &str = "the command that requested the backup has ended";

/// The time between two checks whether another backup has ended.
const TURN_PAUSE: Duration = Duration::from_millis(50);

/// How long the server waits after it could not accept a connection.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// The control socket of a running server.
pub struct Control {
    path: PathBuf,
    shared: Arc<Shared>,
}

struct Shared {
    engine: Engine,
    addresses: Vec<String>,
    stopping: AtomicBool,
    running: Mutex<Vec<Running>>,
    /// Held by the backup in progress: there is memory for the copy of one.
    backing_up: Mutex<()>,
}

/// A request that is being served.
struct Running {
    thread: JoinHandle<()>,
    /// Its connection, which the thread owns, so that it is closed when the thread ends.
    stream: Weak<UnixStream>,
}

impl Control {
    /// Listens in a data folder that this process has open. The caller is inside the runtime that accepts connections.
    /// `addresses` are the arguments of `hjall shell --server` for this server.
    pub fn start(data: &Path, engine: Engine, addresses: Vec<String>) -> io::Result<Self> {
        // Absolute, since the path is used again when the server stops.
        let path = std::path::absolute(data)?.join(NAME);
        match std::fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let socket = UnixSocket::new_stream()?;
        socket.bind(&path)?;
        // Before `listen`, so that no client can connect while the umask still determines the permissions.
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600))?;
        let listener = socket.listen(WAITING_MAX)?;
        let shared = Arc::new(Shared {
            engine,
            addresses,
            stopping: AtomicBool::new(false),
            running: Mutex::default(),
            backing_up: Mutex::default(),
        });
        let serving = Arc::clone(&shared);
        tokio::spawn(async move {
            loop {
                let accepted = listener.accept().await.and_then(|(stream, _)| {
                    let peer = stream.peer_cred()?.uid();
                    Ok((stream.into_std()?, peer))
                });
                if let Err(error) = accepted.and_then(|(stream, peer)| serving.spawn(stream, peer)) {
                    tracing::warn!(%error, "a connection to the control socket failed");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                }
            }
        });
        Ok(Self { path, shared })
    }

    /// Removes the socket, ends the requests that are being served, and waits for them.
    pub fn stop(self) {
        self.shared.stopping.store(true, Ordering::Release);
        if let Err(error) = std::fs::remove_file(&self.path) {
            tracing::warn!(path = %self.path.display(), %error, "the control socket was not removed");
        }
        let running = std::mem::take(&mut *self.shared.running.lock().unwrap_or_else(PoisonError::into_inner));
        for Running { thread, stream } in running {
            // Ends a request that has not arrived completely. One that has is not concerned: its thread only writes.
            // An error means that the peer has closed the connection.
            let _ = stream.upgrade().map(|stream| stream.shutdown(Shutdown::Read));
            // A panic has been printed, and ended only that request.
            let _ = thread.join();
        }
    }
}

impl Shared {
    /// Serves a request of the operating system's user `peer`.
    fn spawn(self: &Arc<Self>, stream: UnixStream, peer: u32) -> io::Result<()> {
        stream.set_nonblocking(false)?;
        stream.set_write_timeout(Some(PEER_WAIT))?;
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        running.retain(|each| !each.thread.is_finished());
        if running.len() >= REQUESTS_MAX {
            let why = format!(
                "one backup is running and {} wait for it, which is the limit; try again when one has ended",
                REQUESTS_MAX - 1
            );
            return answer(&stream, &format!("{FAILED}1 {why}"));
        }
        let (shared, stream) = (Arc::clone(self), Arc::new(stream));
        let weak = Arc::downgrade(&stream);
        let thread = std::thread::Builder::new().name("hjall-control".to_owned()).spawn(move || {
            if let Err(error) = shared.serve(&stream, peer) {
                tracing::warn!(%error, "a connection to the control socket ended early");
            }
        })?;
        running.push(Running { thread, stream: weak });
        Ok(())
    }

    fn serve(&self, stream: &UnixStream, peer: u32) -> io::Result<()> {
        let (to, extent) = match read_request(stream, Instant::now() + REQUEST_WAIT)? {
            Some(Request::Backup(to, extent)) => (to, extent),
            Some(Request::Addresses) => {
                for address in &self.addresses {
                    answer(stream, &format!("{PROGRESS}{address}"))?;
                }
                return answer(stream, DONE);
            }
            None if self.stopping.load(Ordering::Acquire) => {
                return answer(stream, &format!("{FAILED}1 the server is stopping; run the command again"));
            }
            None => {
                return answer(
                    stream,
                    &format!("{FAILED}1 the server does not understand the request; use its version of hjall"),
                );
            }
        };
        let mut reporter = Reporter::new();
        let copied = self.turn(stream).and_then(|_turn| {
            tracing::info!(to = %to.display(), "backup started");
            extent.back_up(&self.engine, &to, &mut |progress: &FamilyProgress| {
                self.check_wanted(stream)?;
                let Some(line) = reporter.line(progress) else { return Ok(()) };
                let gone = |error| Error::new(ErrorKind::Cancelled, format!("{COMMAND_ENDED} ({error})"));
                answer(stream, &format!("{PROGRESS}{line}")).map_err(gone)
            })
        });
        let outcome = copied.as_ref().map_or_else(|error| audit::outcome(&error.to_string()), |()| "done".to_owned());
        let subject = to.display().to_string();
        let (uid, subject) = (peer, &*audit::shortened(&subject));
        tracing::info!(target: audit::TARGET, uid, subject, outcome, "audit: backup through the control socket");
        match copied {
            Ok(()) => {
                tracing::info!(to = %to.display(), "backup completed");
                answer(stream, DONE)
            }
            Err(error) => {
                tracing::warn!(to = %to.display(), %error, "backup failed");
                let writer = if is_of_permission(&error) { written_by() } else { String::new() };
                let failure = failed_backup(&to, error);
                let why = failure.to_string().replace('\n', " ");
                answer(stream, &format!("{FAILED}{} {why}{writer}", failure.code()))
            }
        }
    }
}

impl Shared {
    /// Waits until no other backup is in progress.
    fn turn(&self, stream: &UnixStream) -> hjall_engine::Result<MutexGuard<'_, ()>> {
        let mut is_told = false;
        loop {
            match self.backing_up.try_lock() {
                Ok(turn) => return Ok(turn),
                Err(TryLockError::Poisoned(turn)) => return Ok(turn.into_inner()),
                Err(TryLockError::WouldBlock) => {}
            }
            self.check_wanted(stream)?;
            if !std::mem::replace(&mut is_told, true) {
                // If the command has ended, the next check finds that.
                let _ = answer(stream, &format!("{PROGRESS}waiting for another backup to end"));
            }
            std::thread::sleep(TURN_PAUSE);
        }
    }

    /// Checks that the backup should go on.
    ///
    /// # Errors
    /// `Cancelled`: the backup should end, because the server stops or the command that requested it has ended.
    fn check_wanted(&self, stream: &UnixStream) -> hjall_engine::Result<()> {
        if self.stopping.load(Ordering::Acquire) {
            return Err(Error::new(ErrorKind::Cancelled, "the server was stopped; run the backup again"));
        }
        if has_ended(stream) {
            return Err(Error::new(ErrorKind::Cancelled, COMMAND_ENDED));
        }
        Ok(())
    }
}

/// Whether an error is that of a file that this process may not use.
fn is_of_permission(error: &Error) -> bool {
    let cause = std::error::Error::source(error).and_then(|cause| cause.downcast_ref::<io::Error>());
    cause.is_some_and(|cause| cause.kind() == io::ErrorKind::PermissionDenied)
}

/// The remark that the server writes the backup, with its user.
fn written_by() -> String {
    let user = rustix::process::geteuid().as_raw();
    let name = name_of(user).unwrap_or_else(|| user.to_string());
    format!("; the server, which runs as the user {name}, writes the backup")
}

/// Whether the process that sent a request has closed the connection. It sends nothing after the request.
fn has_ended(mut stream: &UnixStream) -> bool {
    let read = stream.set_nonblocking(true).and_then(|()| stream.read(&mut [0]));
    let blocking = stream.set_nonblocking(false);
    matches!(read, Ok(0)) || blocking.is_err()
}

fn answer(mut stream: &UnixStream, line: &str) -> io::Result<()> {
    stream.write_all(format!("{line}\n").as_bytes())
}

/// The request.
enum Request {
    /// A backup to this folder.
    Backup(PathBuf, Extent),
    /// The addresses of the server.
    Addresses,
}

/// Reads from a connection until a deadline, however the bytes are spread over that time.
struct UntilDeadline<'a> {
    stream: &'a UnixStream,
    deadline: Instant,
}

impl Read for UntilDeadline<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = self.deadline.saturating_duration_since(Instant::now());
        let late = || io::Error::new(io::ErrorKind::TimedOut, "the request did not arrive in time");
        if left.is_zero() {
            return Err(late());
        }
        self.stream.set_read_timeout(Some(left))?;
        self.stream.read(buffer).map_err(|error| match error.kind() {
            // What the operating system calls a read that took too long.
            io::ErrorKind::WouldBlock => late(),
            _ => error,
        })
    }
}

/// Reads a request; `None` if it is unknown.
fn read_request(stream: &UnixStream, deadline: Instant) -> io::Result<Option<Request>> {
    let mut reader = BufReader::new(UntilDeadline { stream, deadline });
    let mut line = Vec::new();
    reader.by_ref().take(64).read_until(b'\n', &mut line)?;
    let line = String::from_utf8_lossy(&line);
    let line = line.trim_end();
    if line == ADDRESSES {
        return Ok(Some(Request::Addresses));
    }
    let (extent, length) = match line.strip_prefix(INCREMENTAL) {
        Some(length) => (Extent::Incremental, Some(length)),
        None => (Extent::Full, line.strip_prefix(BACKUP)),
    };
    let length = length.and_then(|length| length.parse::<u64>().ok());
    let Some(length) = length.filter(|length| (1..=PATH_BYTES_MAX).contains(length)) else { return Ok(None) };
    let mut path = Vec::new();
    reader.take(length).read_to_end(&mut path)?;
    let whole = u64::try_from(path.len()).is_ok_and(|read| read == length);
    let path = whole.then(|| PathBuf::from(std::ffi::OsString::from_vec(path))).filter(|path| path.is_absolute());
    Ok(path.map(|path| Request::Backup(path, extent)))
}

/// The addresses of the server that has this data folder open. Empty if the server cannot be asked.
pub fn addresses(data: &Path) -> Vec<String> {
    let asked = || -> io::Result<Vec<String>> {
        let mut stream = UnixStream::connect(data.join(NAME))?;
        stream.set_read_timeout(Some(PEER_WAIT))?;
        stream.write_all(format!("{ADDRESSES}\n").as_bytes())?;
        stream.shutdown(std::net::Shutdown::Write)?;
        let lines = BufReader::new(&stream).take(PATH_BYTES_MAX).lines().collect::<io::Result<Vec<_>>>()?;
        Ok(lines.iter().filter_map(|line| line.strip_prefix(PROGRESS)).map(str::to_owned).collect())
    };
    asked().unwrap_or_default()
}

/// Asks the server that has this data folder open for a backup, and prints its progress. `None` if there is no server.
pub fn ask_for_backup(data: &Path, to: &Path, extent: Extent) -> Option<Result<(), Failure>> {
    let path = data.join(NAME);
    match UnixStream::connect(&path) {
        Ok(stream) => Some(ask(&stream, to, extent)),
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            let why =
                format!("cannot ask the server for a backup: {}: {error}; run as the server's user", path.display());
            Some(Err(Failure::Usage(why)))
        }
        // A socket that a killed server left refuses connections.
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused) => None,
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => None,
        // The standard library refuses the path before it is used.
        Err(error) if error.kind() == io::ErrorKind::InvalidInput => {
            let why = format!("cannot ask the server for a backup: {}, or stop the server", too_long(&path));
            Some(Err(Failure::Usage(why)))
        }
        Err(error) => {
            let why = format!("cannot ask the server for a backup: {}: {error}; try again", path.display());
            Some(Err(Failure::Asked(1, why)))
        }
    }
}

/// What is wrong with the path of a socket that the standard library refuses.
fn too_long(path: &Path) -> String {
    format!(
        "the path of its socket, {}, is longer than the system allows; name the data folder by a shorter path, for example \
         a symbolic link",
        path.display()
    )
}

/// Why there is no control socket in a data folder.
pub fn why_missing(data: &Path, error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::InvalidInput => too_long(&super::folder::absolute(data).join(NAME)),
        _ => error.to_string(),
    }
}

fn ask(stream: &UnixStream, to: &Path, extent: Extent) -> Result<(), Failure> {
    let lost = |error: io::Error| {
        Failure::Asked(
            1,
            format!("the server ended the connection before the backup was complete ({error}); see its log"),
        )
    };
    let to = std::path::absolute(to).map_err(|error| Failure::Usage(format!("{}: {error}", to.display())))?;
    let bytes = to.as_os_str().as_bytes();
    let mut writer = stream;
    let request = if extent == Extent::Incremental { INCREMENTAL } else { BACKUP };
    let sent =
        writer.write_all(format!("{request}{}\n", bytes.len()).as_bytes()).and_then(|()| writer.write_all(bytes));
    // A server that is busy answers without reading the request.
    for line in BufReader::new(stream).lines() {
        let line = match line {
            Ok(line) => line,
            Err(error) => return Err(lost(sent.err().unwrap_or(error))),
        };
        if let Some(text) = line.strip_prefix(PROGRESS) {
            say(text);
        } else if let Some((code, why)) = line.strip_prefix(FAILED).and_then(|rest| rest.split_once(' ')) {
            return Err(Failure::Asked(code.parse().unwrap_or(1), why.to_owned()));
        } else if line == DONE {
            return Ok(());
        }
    }
    sent.map_err(lost)?;
    Err(lost(io::ErrorKind::UnexpectedEof.into()))
}
