'use strict';
/**
 * The names of HBase's attributes, and the check of names that programs give.
 *
 * HBase stores attributes of any name. A misspelt one would be stored, too, and the attribute that was meant would keep
 * its default. `python/src/hjall/attributes.py` has the same names and makes the same check.
 */

const { escaped } = require('./options.js');

/**
 * HBase's `ColumnFamilyDescriptorBuilder` and `TableDescriptorBuilder`. OWNER, which no version since 2.0 reads, is not
 * listed: `owner` is a common name for metadata.
 */
const NAMES = {
  family: [
    'BLOCKCACHE',
    'BLOCKSIZE',
    'BLOOMFILTER',
    'CACHE_BLOOMS_ON_WRITE',
    'CACHE_DATA_ON_WRITE',
    'CACHE_INDEX_ON_WRITE',
    'COMPRESSION',
    'COMPRESSION_COMPACT',
    'COMPRESSION_COMPACT_MAJOR',
    'COMPRESSION_COMPACT_MINOR',
    'COMPRESS_TAGS',
    'DATA_BLOCK_ENCODING',
    'DFS_REPLICATION',
    'ENCRYPTION',
    'ENCRYPTION_KEY',
    'EVICT_BLOCKS_ON_CLOSE',
    'INDEX_BLOCK_ENCODING',
    'IN_MEMORY',
    'IN_MEMORY_COMPACTION',
    'IS_MOB',
    'KEEP_DELETED_CELLS',
    'MIN_VERSIONS',
    'MOB_COMPACT_PARTITION_POLICY',
    'MOB_THRESHOLD',
    'NEW_VERSION_BEHAVIOR',
    'PREFETCH_BLOCKS_ON_OPEN',
    'REPLICATION_SCOPE',
    'STORAGE_POLICY',
    'TTL',
    'VERSIONS',
  ],
  table: [
    'COMPACTION_ENABLED',
    'DURABILITY',
    'ERASURE_CODING_POLICY',
    'FLUSH_POLICY',
    'IS_META',
    'MAX_FILESIZE',
    'MEMSTORE_FLUSHSIZE',
    'MERGE_ENABLED',
    'NORMALIZATION_ENABLED',
    'NORMALIZER_TARGET_REGION_COUNT',
    'NORMALIZER_TARGET_REGION_SIZE',
    'NORMALIZER_TARGET_REGION_SIZE_MB',
    'PRIORITY',
    'READONLY',
    'REGION_MEMSTORE_REPLICATION',
    'REGION_REPLICATION',
    'SPLIT_ENABLED',
    'SPLIT_POLICY',
  ],
};

/** What HappyBase and this package call an attribute, in the form of `folded`. */
const ALIASES = {
  family: {
    BLOCKCACHEENABLED: 'BLOCKCACHE',
    BLOOMFILTERTYPE: 'BLOOMFILTER',
    MAXVERSIONS: 'VERSIONS',
    TIMETOLIVE: 'TTL',
    TTLSECONDS: 'TTL',
  },
  table: {},
};

/** Names of at least this length may differ in two letters, or in the first one. */
const LONG = 8;
const DIFFERENCE_MAX = 2;

/** The letters and digits of a name, in upper case. */
const folded = (name) => name.replace(/[^\p{L}\p{N}]/gu, '').toUpperCase();

const MEANT = Object.fromEntries(
  Object.entries(NAMES).map(([level, names]) => [
    level,
    [...names.map((name) => [folded(name), name]), ...Object.entries(ALIASES[level])],
  ]),
);

/** How many letters must be replaced, inserted, removed or swapped with the next one to change a word to another. */
function difference(a, b) {
  let last;
  let before = [];
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i += 1) {
    [last, before, row] = [before, row, [i]];
    for (let j = 1; j <= b.length; j += 1) {
      let least = Math.min(row[j - 1] + 1, before[j] + 1, before[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) least = Math.min(least, last[j - 2] + 1);
      row.push(least);
    }
  }
  return row[b.length];
}

/**
 * The attribute that a name is probably meant to be; undefined if it is one, or resembles none.
 * @param {string} name
 * @param {'family' | 'table'} level
 */
function meant(name, level) {
  if (NAMES[level].includes(name)) return undefined;
  const given = folded(name);
  let best;
  let least = DIFFERENCE_MAX + 1;
  for (const [known, attribute] of MEANT[level]) {
    if (Math.abs(known.length - given.length) > DIFFERENCE_MAX) continue;
    const differs = difference(given, known);
    const isLong = known.length >= LONG;
    const sameStart = given[0] === known[0];
    const allowed = isLong && sameStart ? 2 : isLong || sameStart ? 1 : 0;
    if (differs <= allowed && differs < least) [best, least] = [attribute, differs];
  }
  return best;
}

/** Whether programs may give an attribute of this name. */
function isAccepted(name, level) {
  return !NAMES[level === 'family' ? 'table' : 'family'].includes(name) && meant(name, level) === undefined;
}

/**
 * Checks the name of an attribute that a program gives: one that HBase does not know must not resemble one that it
 * knows, nor be one of the other level. An attribute with an empty value, which is not stored, may have any name.
 */
function checkName(name, value, level, where) {
  if (value.length === 0 || isAccepted(name, level)) return;
  let reason;
  if (level === 'family' && NAMES.table.includes(name)) reason = `${name} is an attribute of tables: give it in the options of the table`;
  else if (level === 'table' && NAMES.family.includes(name)) reason = `${name} is an attribute of families: give it in the options of a family`;
  else reason = `unknown attribute "${escaped(name)}": did you mean \`${meant(name, level)}\`?`;
  throw new TypeError(`${where}: ${reason} (the option \`metadata\` stores a name of your own)`);
}

module.exports = { ALIASES, NAMES, checkName, isAccepted, meant };
