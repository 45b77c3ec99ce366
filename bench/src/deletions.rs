//! Rows with a long history of deletes: their reads before and after the compaction that a client requests, compared
//! with a row without a history.

use std::net::SocketAddr;
use std::path::Path;
use std::time::{Duration, Instant};

use hjall_idl::hbase1::{
    ColumnDescriptor, CompactArgs, CompactResult, CreateTableArgs, CreateTableResult, GetRowResult,
};
use hjall_idl::hbase2::*;

use crate::Outcome;
use crate::median::median;
use crate::process::Server;
use crate::thrift1::{Client, get_row, message};

const TABLE: &str = "deletions";
/// A row without a history, one of which many columns were put and deleted, and one of whose column many versions were
/// put and deleted one by one.
const ROWS: [&str; 3] = ["clean", "columns", "versions"];
/// Thrift2's delete types: an exact version, and all versions of a column.
const EXACT: i32 = 0;
const ALL_VERSIONS: i32 = 1;
/// Rows of one call.
const BATCH: usize = 1_000;
/// Gets of each row; the median is printed. Slow ones are repeated less often.
const GETS: usize = 101;
/// The longest wait for the compactions.
const WAIT_MAX: Duration = Duration::from_secs(120);

/// Prints the latency of gets of each row, with the row cache off.
pub fn run(hjall: &Path, deletes: usize) -> Outcome<()> {
    let folder = tempfile::tempdir()?;
    let server = Server::hjall_with(hjall, folder.path(), &["store.row_cache=0", "compaction.request_delay=0s"])?;
    let mut client = Client::connect(server.address)?;
    create(&mut client)?;
    fill(server.address, deletes)?;
    println!("\nrows with {deletes} deletes of columns, and of versions; median of getRow in microseconds");
    println!("{:<26} {:>8} {:>18} {:>18}", "", ROWS[0], ROWS[1], ROWS[2]);
    report(&mut client, "before a compaction")?;
    let arguments = CompactArgs::new(TABLE.as_bytes().to_vec());
    let requested: CompactResult = client.call(&message("compact", &arguments)?)?;
    if let Some(error) = requested.io {
        return Err(format!("compact: {error:?}").into());
    }
    let begin = Instant::now();
    while timed(&mut client, ROWS[1])? > 3.0 * timed(&mut client, ROWS[0])? && begin.elapsed() < WAIT_MAX {
        std::thread::sleep(Duration::from_millis(100));
    }
    report(&mut client, &format!("{:.1} s after `compact`", begin.elapsed().as_secs_f64()))?;
    println!("(goal: 3 x the clean row)");
    server.stop()
}

fn create(client: &mut Client) -> Outcome<()> {
    let family = ColumnDescriptor { name: Some(b"f:".to_vec()), max_versions: Some(i32::MAX), ..Default::default() };
    let arguments = CreateTableArgs::new(TABLE.as_bytes().to_vec(), vec![family]);
    let result: CreateTableResult = client.call(&message("createTable", &arguments)?)?;
    if result.io.is_some() || result.ia.is_some() { Err(format!("createTable: {result:?}").into()) } else { Ok(()) }
}

/// Puts and deletes columns and versions, and then one more column in each row.
fn fill(address: SocketAddr, deletes: usize) -> Outcome<()> {
    let mut client = Client::connect(address)?;
    let column = |n: usize| (ROWS[1], format!("q{n:07}"), ALL_VERSIONS);
    let version = |_: usize| (ROWS[2], "q".to_owned(), EXACT);
    let all: Vec<_> = (1..=deletes).flat_map(|n| [(n, column(n)), (n, version(n))]).collect();
    for batch in all.chunks(BATCH) {
        let puts = batch.iter().map(|(n, (row, qualifier, _))| put(row, qualifier, *n as i64));
        put_all(&mut client, puts.collect())?;
    }
    for batch in all.chunks(BATCH) {
        let deletes = batch.iter().map(|(n, (row, qualifier, kind))| {
            let column = TColumn::new(b"f".to_vec(), qualifier.clone().into_bytes(), *n as i64);
            TDelete::new(row.as_bytes().to_vec(), vec![column], None, *kind, None, None)
        });
        let arguments = DeleteMultipleArgs::new(TABLE.as_bytes().to_vec(), deletes.collect());
        let result: DeleteMultipleResult = client.call(&message("deleteMultiple", &arguments)?)?;
        if let Some(error) = result.io {
            return Err(format!("deleteMultiple: {error:?}").into());
        }
    }
    put_all(&mut client, ROWS.iter().map(|row| put(row, "z", 1)).collect())
}

fn put(row: &str, qualifier: &str, timestamp: i64) -> TPut {
    let (qualifier, value) = (qualifier.as_bytes().to_vec(), b"value".to_vec());
    let column = TColumnValue::new(b"f".to_vec(), qualifier, value, timestamp, None, None);
    TPut::new(row.as_bytes().to_vec(), vec![column], None, None, None, None)
}

fn put_all(client: &mut Client, puts: Vec<TPut>) -> Outcome<()> {
    let arguments = PutMultipleArgs::new(TABLE.as_bytes().to_vec(), puts);
    let result: PutMultipleResult = client.call(&message("putMultiple", &arguments)?)?;
    result.io.map_or(Ok(()), |error| Err(format!("putMultiple: {error:?}").into()))
}

fn report(client: &mut Client, when: &str) -> Outcome<()> {
    let mut times = [0.0; ROWS.len()];
    for (time, row) in times.iter_mut().zip(ROWS) {
        *time = timed(client, row)?;
    }
    let beside = |n: usize| format!("{:.0} ({:.1} x)", times[n], times[n] / times[0]);
    println!("{when:<26} {:>8.0} {:>18} {:>18}", times[0], beside(1), beside(2));
    Ok(())
}

/// The median time of a get of the whole row, in microseconds.
fn timed(client: &mut Client, row: &str) -> Outcome<f64> {
    let call = get_row(TABLE, row.as_bytes())?;
    let begin = Instant::now();
    let mut times = Vec::new();
    while times.len() < GETS && (times.len() < 3 || begin.elapsed() < Duration::from_secs(1)) {
        let sent = Instant::now();
        let result: GetRowResult = client.call(&call)?;
        times.push(sent.elapsed().as_secs_f64() * 1e6);
        match result.success.as_deref() {
            Some([row]) if row.columns.as_ref().is_some_and(|columns| columns.len() == 1) => {}
            _ => return Err(format!("the row {row} is not what was put").into()),
        }
    }
    Ok(median(times))
}
