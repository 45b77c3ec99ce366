//! The split keys that HBase's tools compute for new tables.

use bytes::Bytes;
use num_bigint::BigUint;

use crate::error::{Error, Result};
use crate::quote;

/// The largest number of regions that callers should request. HBase has no limit, and fails when its memory ends.
pub const REGIONS_MAX: u32 = 100_000;

const HEX_WIDTH: usize = 8;
const DECIMAL_WIDTH: usize = 8;

fn at_least_two(regions: u32) -> Result<u64> {
    if regions < 2 {
        return Err(Error::invalid(format!("the number of regions must be at least 2, not {regions}")));
    }
    Ok(u64::from(regions))
}

/// `HexStringSplit`: keys of eight hexadecimal digits, evenly over 00000000 to ffffffff; the last region takes the
/// remainder.
///
/// # Errors
/// `InvalidArgument` for fewer than 2 regions.
pub fn hex_string(regions: u32) -> Result<Vec<Bytes>> {
    let n = at_least_two(regions)?;
    let size = (1u64 << 32) / n;
    Ok((1..n).map(|i| Bytes::from(format!("{:0HEX_WIDTH$x}", size * i))).collect())
}

/// `DecimalStringSplit`: keys of eight decimal digits, evenly over 00000000 to 99999999.
///
/// # Errors
/// `InvalidArgument` for fewer than 2 regions.
pub fn decimal_string(regions: u32) -> Result<Vec<Bytes>> {
    let n = at_least_two(regions)?;
    let size = 100_000_000 / n;
    Ok((1..n).map(|i| Bytes::from(format!("{:0DECIMAL_WIDTH$}", size * i))).collect())
}

/// `UniformSplit`: keys of eight bytes, evenly over all of them.
///
/// # Errors
/// `InvalidArgument` for fewer than 2 regions.
pub fn uniform(regions: u32) -> Result<Vec<Bytes>> {
    let n = at_least_two(regions)?;
    let keys = between(&[], &[0xFF; 8], true, n as u32 - 1)?;
    Ok(keys[1..keys.len() - 1].to_vec())
}

/// HBase's `Bytes.split`: `start`, `count` points evenly between, `end`. The shorter end is padded with trailing zeros.
/// Keys are extended by single bytes until there is room for all points. `inclusive`: `end` belongs to the range.
///
/// # Errors
/// `InvalidArgument` unless `start` < `end` and `count` ≥ 1.
pub fn between(start: &[u8], end: &[u8], inclusive: bool, count: u32) -> Result<Vec<Bytes>> {
    let mut width = start.len().max(end.len());
    let number = |key: &[u8], width: usize| BigUint::from_bytes_be(key) << (8 * (width - key.len()));
    if number(start, width) >= number(end, width) {
        return Err(Error::invalid("b <= a: the start key must be smaller than the end key"));
    }
    if count == 0 {
        return Err(Error::invalid("num cannot be <= 0: ask for at least one key between the ends"));
    }
    let parts = BigUint::from(count) + 1u32;
    loop {
        let first = number(start, width);
        let size = number(end, width) - &first + u32::from(inclusive);
        if size < parts {
            width += 1;
            continue;
        }
        let interval = size / &parts;
        let mut keys = vec![Bytes::copy_from_slice(start)];
        for i in 1..=count {
            let point = (&first + &interval * i).to_bytes_be();
            let mut key = vec![0; width.saturating_sub(point.len())];
            key.extend_from_slice(&point);
            keys.push(key.into());
        }
        keys.push(Bytes::copy_from_slice(end));
        return Ok(keys);
    }
}

/// The keys of `createTable(descriptor, start, end, regions)` of HBase's client: the first region ends at `start`, the
/// last begins at `end`.
///
/// # Errors
/// `InvalidArgument` for fewer than 3 regions, or unless `start` < `end`.
pub fn range(start: &[u8], end: &[u8], regions: u32) -> Result<Vec<Bytes>> {
    if regions < 3 {
        return Err(Error::invalid("Must create at least three regions").with_remedy(format_args!(
            "{regions} were requested; request 3 or more, or give the split keys themselves"
        )));
    }
    if start >= end {
        return Err(Error::invalid("Start key must be smaller than end key").with_remedy(format_args!(
            "they are {} and {}; exchange them",
            quote::binary(start),
            quote::binary(end)
        )));
    }
    if regions == 3 {
        return Ok(vec![Bytes::copy_from_slice(start), Bytes::copy_from_slice(end)]);
    }
    between(start, end, false, regions - 3).map_err(|_| {
        Error::invalid("Unable to split key range into enough regions")
            .with_remedy("the end key is the start key with zeros; ask for 3 regions or choose other keys")
    })
}
