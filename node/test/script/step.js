'use strict';
/** Parses a step of a script: a verb, words and options (`--name=value`). */

const { unescape, value } = require('./text.js');

/** Splits `rest@timestamp`. */
function timed(word) {
  const at = word.lastIndexOf('@');
  return at < 0 ? [word, undefined] : [word.slice(0, at), BigInt(word.slice(at + 1))];
}

/** Parses `family:qualifier`; without a colon, the qualifier is empty. */
function column(word) {
  const at = word.indexOf(':');
  const [family, qualifier] = at < 0 ? [word, ''] : [word.slice(0, at), word.slice(at + 1)];
  return { family: unescape(family), qualifier: unescape(qualifier) };
}

/** Splits words at semicolons. */
function parts(words) {
  const out = [[]];
  for (const word of words) {
    if (word === ';') out.push([]);
    else out.at(-1).push(word);
  }
  return out.filter((part) => part.length > 0);
}

/** Splits a word at the first `=`. */
function sides(word) {
  const at = word.indexOf('=');
  return [word.slice(0, at), word.slice(at + 1)];
}

class Step {
  constructor(line) {
    const [verb, ...all] = line.trim().split(/\s+/);
    this.verb = verb;
    this.words = all.filter((word) => !word.startsWith('--'));
    this.options = new Map(
      all
        .filter((word) => word.startsWith('--'))
        .map((word) => (word.includes('=') ? sides(word.slice(2)) : [word.slice(2), ''])),
    );
  }

  get table() {
    return this.words[0];
  }

  get row() {
    return value(this.words[1]);
  }

  has(name) {
    return this.options.has(name);
  }

  number(name) {
    return this.has(name) ? Number(this.options.get(name)) : undefined;
  }

  bytes(name) {
    return this.has(name) ? value(this.options.get(name)) : undefined;
  }

  /** Parses `f{VERSIONS=3,TTL=10}` as [name, options]. */
  static family(word) {
    const [name, attributes = ''] = word.replace(/}$/, '').split('{');
    const pairs = attributes.split(',').filter((pair) => pair !== '');
    return [unescape(name), { attributes: new Map(pairs.map(sides).map(([key, text]) => [key, unescape(text)])) }];
  }

  /** The families after the table's name. */
  get families() {
    return new Map(this.words.slice(1).map(Step.family));
  }

  get attributes() {
    return new Map([...this.options].filter(([key]) => key !== 'splits').map(([key, text]) => [key, unescape(text)]));
  }

  get splits() {
    return this.has('splits') ? this.options.get('splits').split(',').map(unescape) : undefined;
  }

  /** The options of writes: --ttl, --durability. */
  get writing() {
    return {
      ttlMs: this.has('ttl') ? BigInt(this.options.get('ttl')) : undefined,
      durability: this.options.get('durability'),
    };
  }

  /** The options of reads: columns from a word on, --versions, --range, --raw, --filter. */
  reading(from) {
    const columns = this.words
      .slice(from)
      .map((word) => (word.includes(':') ? column(word) : { family: unescape(word) }));
    const range = this.options.get('range')?.split('..').map(BigInt);
    const filter = this.options.get('filter');
    return {
      columns,
      versions: this.number('versions'),
      timeRange: range,
      raw: this.has('raw'),
      filter: filter === undefined ? undefined : unescape(filter).toString('utf8'),
    };
  }

  /** Parses cells `f:q@time=value`. */
  static cells(words) {
    return words.map((word) => {
      const [place, text] = sides(word);
      const [name, timestamp] = timed(place);
      return { ...column(name), timestamp, value: value(text) };
    });
  }

  /** Parses pairs of words: the kind of a marker, and what it covers. */
  static markers(words) {
    const out = [];
    for (let i = 0; i < words.length; i += 2) {
      const [name, timestamp] = timed(words[i + 1]);
      const whole = words[i].startsWith('family');
      const { family, qualifier } = column(name);
      out.push({ family, qualifier: whole ? undefined : qualifier, timestamp, exact: words[i].endsWith('version') });
    }
    return out;
  }

  /** Parses `put cell… ; delete marker… ; …`. */
  mutations(from) {
    return parts(this.words.slice(from)).map(([kind, ...words]) =>
      kind === 'put'
        ? { put: Step.cells(words), ...this.writing }
        : { delete: words.length === 0 ? true : Step.markers(words), ...this.writing },
    );
  }

  /** Parses `f:q=…` for increments and appends. */
  columnsWith(field, read) {
    return this.words.slice(2).map((word) => {
      const [name, text] = sides(word);
      return { ...column(name), [field]: read(text) };
    });
  }
}

module.exports = { Step, column, parts };
