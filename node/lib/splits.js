'use strict';
/** The split keys of a new table: given, or computed by HBase's algorithms (SPLITALGO). */

const { bytes } = require('./bytes.js');
const { mapped } = require('./long-list.js');
const { remedy, shown, whole } = require('./options.js');

const REGIONS_MAX = 100_000;

/** Evenly spaced keys of eight digits in a base. The last region takes the remainder. */
const digits = (total, base) => (regions) => {
  const size = total / BigInt(regions);
  return Array.from({ length: regions - 1 }, (_, i) =>
    Buffer.from((size * BigInt(i + 1)).toString(base).padStart(8, '0')),
  );
};

/** Evenly spaced keys of eight bytes. */
function uniform(regions) {
  const size = 2n ** 64n / BigInt(regions);
  return Array.from({ length: regions - 1 }, (_, i) => {
    const key = Buffer.alloc(8);
    key.writeBigUInt64BE(size * BigInt(i + 1));
    return key;
  });
}

const ALGORITHMS = {
  HexStringSplit: digits(2n ** 32n, 16),
  DecimalStringSplit: digits(100_000_000n, 10),
  UniformSplit: uniform,
};

/**
 * Split keys from `splits` (an array of keys) or `splitAlgo` with `regions`.
 * @returns {Uint8Array[]}
 */
function splitsOf({ splits, splitAlgo, regions }, where, encoding) {
  if (splits !== undefined) {
    if (splitAlgo !== undefined || regions !== undefined)
      throw new TypeError(`${where}: give \`splits\`, or \`splitAlgo\` and \`regions\`, not both`);
    if (!Array.isArray(splits))
      throw new TypeError(`${where}: option \`splits\` must be an array of row keys, not ${shown(splits)}`);
    return mapped(splits, (key) => bytes(key, `${where}: split key`, encoding));
  }
  if (splitAlgo === undefined) {
    if (regions !== undefined)
      throw new TypeError(`${where}: \`regions\` needs \`splitAlgo\`, one of ${Object.keys(ALGORITHMS).join(', ')}`);
    return [];
  }
  if (typeof splitAlgo !== 'string' || !Object.hasOwn(ALGORITHMS, splitAlgo)) {
    const names = Object.keys(ALGORITHMS);
    throw new (typeof splitAlgo === 'string' ? RangeError : TypeError)(
      `${where}: option \`splitAlgo\` cannot be ${shown(splitAlgo)}; ${remedy(typeof splitAlgo === 'string' ? splitAlgo : '', names)}`,
    );
  }
  if (regions === undefined) throw new TypeError(`${where}: \`splitAlgo\` needs \`regions\`, the number of regions`);
  return ALGORITHMS[splitAlgo](whole(regions, `${where}: option \`regions\``, 2, REGIONS_MAX));
}

/** The options that `splitsOf` reads. */
const SPLIT_OPTIONS = ['splits', 'splitAlgo', 'regions'];

module.exports = { SPLIT_OPTIONS, splitsOf };
