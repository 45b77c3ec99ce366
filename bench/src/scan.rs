//! Background load: connections that scan and connections that write, without a pause.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::LocalSet;

use crate::Outcome;
use crate::thrift1::{open_scanner, scanner_close, scanner_get_list};

/// Rows requested by one fetch.
const PAGE_ROWS: i32 = 100;
/// Field header of the scanner id in the reply to `scannerOpenWithScan`: strict binary, field 0, an i32.
const OPENED_NAME: &str = "scannerOpenWithScan";

/// Connections that generate load on separate threads until stopped.
pub struct Beside {
    stop: Arc<AtomicBool>,
    counts: Arc<[AtomicU64; 2]>,
    thread: Option<JoinHandle<Result<(), String>>>,
}

impl Beside {
    /// Starts the given numbers of scanning and writing connections. All writers send the same calls.
    pub fn start(address: SocketAddr, table: &str, scanners: usize, writers: usize, writes: Vec<Vec<u8>>) -> Self {
        let (stop, counts) = (Arc::<AtomicBool>::default(), Arc::<[AtomicU64; 2]>::default());
        let (seen, counted, table) = (stop.clone(), counts.clone(), table.to_owned());
        let thread = std::thread::spawn(move || {
            let runtime =
                tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(|e| e.to_string())?;
            let local = LocalSet::new();
            local.block_on(&runtime, async move {
                let writes: Arc<[Vec<u8>]> = writes.into();
                let mut tasks = Vec::new();
                for _ in 0..scanners {
                    let (stop, counts, table) = (seen.clone(), counted.clone(), table.clone());
                    tasks.push(tokio::task::spawn_local(async move {
                        scan(address, &table, &stop, &counts[0]).await.map_err(|e| e.to_string())
                    }));
                }
                for n in 0..writers {
                    let (stop, counts, writes) = (seen.clone(), counted.clone(), writes.clone());
                    tasks.push(tokio::task::spawn_local(async move {
                        write(address, &writes, n, &stop, &counts[1]).await.map_err(|e| e.to_string())
                    }));
                }
                for task in tasks {
                    task.await.map_err(|e| e.to_string())??;
                }
                Ok(())
            })
        });
        Self { stop, counts, thread: Some(thread) }
    }

    /// Number of pages and writes answered so far.
    pub fn counts(&self) -> [u64; 2] {
        [self.counts[0].load(Ordering::Relaxed), self.counts[1].load(Ordering::Relaxed)]
    }

    /// Stops the load. Fails if one of its connections failed.
    pub fn stop(mut self) -> Outcome<()> {
        self.stop.store(true, Ordering::Relaxed);
        match self.thread.take().map(JoinHandle::join) {
            Some(Ok(ended)) => Ok(ended?),
            _ => Err("the background load panicked".into()),
        }
    }
}

/// A framed connection. Frames carry their length, so reading replies costs next to nothing.
pub struct Framed {
    stream: TcpStream,
    reply: Vec<u8>,
}

impl Framed {
    /// Connects.
    pub async fn connect(address: SocketAddr) -> Outcome<Self> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        Ok(Self { stream, reply: Vec::new() })
    }

    /// Sends one call. The reply is valid until the next call.
    pub async fn call(&mut self, message: &[u8]) -> Outcome<&[u8]> {
        self.stream.write_all(&frame(message)?).await?;
        let length = self.stream.read_u32().await?;
        self.reply.resize(usize::try_from(length)?, 0);
        self.stream.read_exact(&mut self.reply).await?;
        Ok(&self.reply)
    }
}

fn frame(message: &[u8]) -> Outcome<Vec<u8>> {
    Ok([&u32::try_from(message.len())?.to_be_bytes(), message].concat())
}

async fn scan(address: SocketAddr, table: &str, stop: &AtomicBool, pages: &AtomicU64) -> Outcome<()> {
    let mut connection = Framed::connect(address).await?;
    let open = open_scanner(table, PAGE_ROWS)?;
    while !stop.load(Ordering::Relaxed) {
        let reply = connection.call(&open).await?;
        // Strict binary: a header of 12 bytes and the name, then field 0, an i32.
        let at = 12 + OPENED_NAME.len();
        let Some((&[8, 0, 0, a, b, c, d], _)) = reply.get(at..).and_then(|rest| rest.split_first_chunk()) else {
            return Err(format!("no scanner: {}", reply.escape_ascii()).into());
        };
        let id = i32::from_be_bytes([a, b, c, d]);
        let fetch = scanner_get_list(id, PAGE_ROWS)?;
        // The shortest possible reply is the one without rows.
        while connection.call(&fetch).await?.len() > 64 && !stop.load(Ordering::Relaxed) {
            pages.fetch_add(1, Ordering::Relaxed);
        }
        connection.call(&scanner_close(id)?).await?;
    }
    Ok(())
}

async fn write(
    address: SocketAddr,
    writes: &[Vec<u8>],
    first: usize,
    stop: &AtomicBool,
    done: &AtomicU64,
) -> Outcome<()> {
    let mut connection = Framed::connect(address).await?;
    for call in writes.iter().cycle().skip(first * 97) {
        if stop.load(Ordering::Relaxed) {
            break;
        }
        connection.call(call).await?;
        done.fetch_add(1, Ordering::Relaxed);
    }
    Ok(())
}
