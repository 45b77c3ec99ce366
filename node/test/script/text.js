'use strict';
/** The notation of bytes in scripts (`tests/scripts/README.md`): printable characters and `\xHH`. */

const PLAIN = /[^\\@=#]/;

/** Formats bytes as a word. */
function escape(bytes) {
  let out = '';
  for (const byte of bytes) {
    const char = String.fromCharCode(byte);
    out +=
      byte > 0x20 && byte < 0x7f && PLAIN.test(char) ? char : `\\x${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  return out;
}

/** Parses a word as bytes. */
function unescape(word) {
  const out = [];
  const bytes = Buffer.from(word, 'utf8');
  for (let i = 0; i < bytes.length; i += 1) {
    const hex = bytes.toString('latin1', i, i + 4).match(/^\\x([0-9a-fA-F]{2})$/);
    out.push(hex ? Number.parseInt(hex[1], 16) : bytes[i]);
    if (hex) i += 3;
  }
  return Buffer.from(out);
}

/**
 * Parses a value: `#5` is a number in eight bytes, `word*100` repeats a word a hundred times, everything else is
 * bytes.
 */
function value(word) {
  if (word.startsWith('#')) {
    const out = Buffer.alloc(8);
    out.writeBigInt64BE(BigInt(word.slice(1)));
    return out;
  }
  const many = word.match(/^(.*)\*(\d+)$/s);
  if (many === null) return unescape(word);
  const part = unescape(many[1]);
  return Buffer.alloc(part.length * Number(many[2]), part);
}

function shownValue(bytes) {
  if (bytes.length === 8 && !bytes.every((b) => b > 0x20 && b < 0x7f)) return `#${bytes.readBigInt64BE(0)}`;
  return bytes.length > 100 ? `(${bytes.length}\\x20bytes)` : escape(bytes);
}

/** Formats a cell as `family:qualifier@timestamp=value`, or a delete marker as `family:qualifier@timestamp!Kind`. */
function shownCell({ family, qualifier, timestamp, type, value: bytes }) {
  const place = `${escape(family)}:${escape(qualifier)}@${timestamp}`;
  return type === 'Put' ? `${place}=${shownValue(bytes)}` : `${place}!${type}`;
}

module.exports = { escape, shownCell, unescape, value };
