'use strict';
/**
 * Generates lib/remote/wire/schema.js, the tables of structs and methods that the codec interprets, from
 * idl/thrift/hbase2.thrift, and from idl/methods.txt which calls may be repeated.
 *
 *     node tools/schema.js            writes it
 *     node tools/schema.js --check    fails if the file differs from what would be written
 *
 * The parser below understands the part of Thrift's language that the file uses, so that no Thrift compiler is needed.
 */
const { readFileSync } = require('node:fs');
const { join } = require('node:path');
const { writeOrCheck } = require('./generated.js');

const IDL = join(__dirname, '..', '..', 'idl');
const SOURCE = join(IDL, 'thrift', 'hbase2.thrift');
const FACTS = join(IDL, 'methods.txt');
const RESULT = join(__dirname, '..', 'lib', 'remote', 'wire', 'schema.js');
const BASE = new Set(['bool', 'i8', 'i16', 'i32', 'i64', 'binary', 'string']);

/** Splits the source into words and punctuation, without comments. */
function tokens(text) {
  return text.replace(/\/\/.*$/gm, '').match(/[\w.]+|-?\d+|[{}()<>,:;=]/g);
}

/** Parses the file: enums, structs (also unions and exceptions) and the methods of its only service. */
class Parser {
  constructor(text) {
    this.words = tokens(text);
    this.at = 0;
    this.enums = new Map();
    this.structs = new Map();
    this.methods = new Map();
  }

  next(expected) {
    const word = this.words[this.at++];
    if (expected !== undefined && word !== expected)
      throw new Error(`${SOURCE}: expected ${expected}, found ${word} (word ${this.at})`);
    return word;
  }

  /** Consumes the next word if it is `word`; returns whether it was. */
  takes(word) {
    if (this.words[this.at] !== word) return false;
    this.at++;
    return true;
  }

  read() {
    while (this.at < this.words.length) {
      const kind = this.next();
      if (kind === 'namespace') this.at += 2;
      else if (kind === 'enum') this.enum();
      else if (kind === 'service') this.service();
      else if (['struct', 'union', 'exception'].includes(kind)) {
        const name = this.next();
        this.next('{');
        this.structs.set(name, this.fields('}'));
      } else throw new Error(`${SOURCE}: unknown keyword ${kind}`);
    }
    return this;
  }

  enum() {
    const values = {};
    const name = this.next();
    this.next('{');
    while (!this.takes('}')) {
      const key = this.next();
      this.next('=');
      values[key] = Number(this.next());
      this.takes(',');
    }
    this.enums.set(name, values);
  }

  /** Parses `1: required i64 minStamp = 5, …` up to the closing bracket, as [id, name, type, required]. */
  fields(end) {
    const fields = [];
    while (!this.takes(end)) {
      const id = Number(this.next());
      this.next(':');
      const required = this.takes('required');
      if (!required) this.takes('optional');
      const type = this.type();
      fields.push([id, this.next(), type, required]);
      // The server applies defaults: an absent field stays absent.
      if (this.takes('=')) this.next();
      this.takes(',');
    }
    return fields;
  }

  type() {
    const name = this.next();
    if (BASE.has(name)) return name;
    if (name === 'list' || name === 'set' || name === 'map') {
      this.next('<');
      const parts = [name, this.type()];
      if (name === 'map') {
        this.next(',');
        parts.push(this.type());
      }
      this.next('>');
      return parts;
    }
    if (this.enums.has(name)) return 'i32';
    if (!this.structs.has(name)) throw new Error(`${SOURCE}: the type ${name} is not declared above its use`);
    return name;
  }

  service() {
    this.next();
    this.next('{');
    while (!this.takes('}')) {
      const returns = this.takes('void') ? null : this.type();
      const name = this.next();
      this.next('(');
      const args = this.fields(')');
      const raises = this.takes('throws') ? (this.next('('), this.fields(')')) : [];
      this.methods.set(name, { args, result: [...(returns ? [[0, 'success', returns, false]] : []), ...raises] });
    }
  }
}

/** For each method of idl/methods.txt whether a call that the server may have run can be sent again. */
function repeatable() {
  const lines = readFileSync(FACTS, 'utf8')
    .split('\n')
    .filter((line) => line && !line.startsWith('#'));
  return new Map(
    lines.map((line) => {
      const [method, , , , effect, scanner] = line.split(/\s+/);
      // A second fetch would skip the rows of the first.
      return [method, scanner === 'fetches' ? 'never' : effect === 'none' ? 'always' : 'ifAsked'];
    }),
  );
}

/** A value as JavaScript source, in the style of this package. */
function literal(value) {
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  if (typeof value === 'string') return `'${value}'`;
  return String(value);
}

function block(title, name, entries) {
  return `/** ${title} */\nconst ${name} = {\n${entries.join('\n')}\n};\n`;
}

function generate() {
  const { enums, structs, methods } = new Parser(readFileSync(SOURCE, 'utf8')).read();
  const repeats = repeatable();
  for (const name of methods.keys()) if (!repeats.has(name)) throw new Error(`${FACTS} does not list ${name}`);
  const fields = (list) => (list.length ? `[\n${list.map((f) => `    ${literal(f)},`).join('\n')}\n  ]` : '[]');
  return [
    "'use strict';\n/** Generated by tools/schema.js from idl/thrift/hbase2.thrift and idl/methods.txt; do not edit. */\n",
    block(
      'The numbers of enum values.',
      'ENUMS',
      [...enums].map(
        ([name, values]) =>
          `  ${name}: { ${Object.entries(values)
            .map(([k, v]) => `${k}: ${v}`)
            .join(', ')} },`,
      ),
    ),
    block(
      'Fields as [id, name, type, required].',
      'STRUCTS',
      [...structs].map(([name, list]) => `  ${name}: ${fields(list)},`),
    ),
    block(
      'The arguments and the result of each method, as fields (field 0 of a result is the return value), and whether a ' +
        "call can be repeated: 'always', 'never', or 'ifAsked' (`retryWrites`).",
     
      'METHODS',
      [...methods].map(
        ([name, m]) =>
          `  ${name}: {\n    repeat: '${repeats.get(name)}',\n    args: ${fields(m.args).replaceAll('\n', '\n  ')},\n    result: ${fields(m.result).replaceAll('\n', '\n  ')},\n  },`,
      ),
    ),
    'module.exports = { ENUMS, STRUCTS, METHODS };\n',
  ].join('\n');
}

writeOrCheck(RESULT, generate(), SOURCE);
