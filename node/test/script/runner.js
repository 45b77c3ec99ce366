'use strict';
/** Runs the steps of scripts through the public interface, in either form of its methods. */

const { BatchError } = require('../../lib/batch.js');
const { CODES } = require('../../lib/errors.js');
const { EXCHANGED } = require('../../lib/operator.js');
const { Step, column, parts } = require('./step.js');
const { escape, shownCell, value } = require('./text.js');

const KIND_OF = new Map(Object.entries(CODES).map(([kind, code]) => [code, kind]));

/**
 * An error as a script shows it: with the engine's kind. The engine reports arguments that the interface rejects as
 * InvalidArgument, and also large cells that HBase's client would reject.
 */
function failure(error) {
  const isOfClient = error.cause?.message.startsWith('KeyValue size too large') || error.message.includes(': KeyValue size');
  const kind =
    (isOfClient ? 'InvalidArgument' : KIND_OF.get(error.code)) ??
    (error instanceof RangeError || error instanceof TypeError ? 'InvalidArgument' : error.name);
  // HBase's text is the message or the cause.
  const texts = new Set([error.message, error.cause?.message]);
  return `! ${kind}: ${[...texts].filter((text) => text !== undefined).join(' / ')}`;
}

/** `form`: 'promise' or 'sync'. */
class Runner {
  /** @param {{ db: object, clock?: object, reopen?: () => Promise<object> }} target */
  constructor(target, form) {
    this.target = target;
    this.sync = form === 'sync';
  }

  /** Executes a step and returns the lines of its answer. */
  async run(line) {
    try {
      return (await this.answer(new Step(line))) ?? [];
    } catch (error) {
      return [failure(error)];
    }
  }

  /** Calls a method in the chosen form. */
  call(object, method, ...given) {
    return this.sync ? object[`${method}Sync`](...given) : object[method](...given);
  }

  async answer(step) {
    const { db, clock } = this.target;
    const { words } = step;
    const table = words[0] === undefined ? undefined : db.table(step.table);
    const done = async (promise) => void (await promise);
    const shown = async (row) => (await row)?.cells.map(shownCell);
    switch (step.verb) {
      case 'now':
        return void clock.set(Number(words[0]));
      case 'advance':
        return void clock.advance(Number(words[0]));
      case 'reopen':
        this.target = await this.target.reopen();
        return undefined;
      case 'create':
        return done(
          this.call(db, 'createTable', step.table, step.families, { attributes: step.attributes, splits: step.splits }),
        );
      case 'modify':
        return done(this.call(db, 'alterTable', step.table, step.families, { attributes: step.attributes }));
      case 'drop':
        return done(this.call(db, 'dropTable', step.table));
      case 'truncate':
        return done(this.call(db, 'truncateTable', step.table, { preserveSplits: step.has('preserve') }));
      case 'enable':
        return done(this.call(db, 'enableTable', step.table));
      case 'disable':
        return done(this.call(db, 'disableTable', step.table));
      case 'add-family':
        return done(this.call(db, 'addFamily', step.table, ...Step.family(words[1])));
      case 'modify-family':
        return done(this.call(db, 'alterFamily', step.table, ...Step.family(words[1])));
      case 'delete-family':
        return done(this.call(db, 'dropFamily', step.table, words[1]));
      case 'create-namespace':
        return done(this.call(db, 'createNamespace', words[0]));
      case 'delete-namespace':
        return done(this.call(db, 'dropNamespace', words[0]));
      case 'flush':
        return done(this.call(db, 'flush', step.table));
      case 'compact':
        return done(this.call(db, 'compact', step.table, { major: step.has('major') }));
      case 'tables':
        return this.tables(db);
      case 'regions':
        return (await this.call(db, 'regions', step.table)).map(
          (region) => `${escape(region.start)}..${escape(region.end)}`,
        );
      case 'put':
        return done(this.call(table, 'put', step.row, Step.cells(words.slice(2)), step.writing));
      case 'puts':
        return this.puts(table, step);
      case 'delete':
        return done(this.delete(table, step));
      case 'mutate':
        return done(this.call(table, 'mutateRow', step.row, step.mutations(2)));
      case 'check':
        return this.check(table, step);
      case 'increment':
        return shown(this.call(table, 'incrementRow', step.row, step.columnsWith('amount', BigInt), step.writing));
      case 'append':
        return shown(this.call(table, 'appendRow', step.row, step.columnsWith('value', value), step.writing));
      case 'get':
        return shown(this.call(table, 'row', step.row, Runner.getting(step)));
      case 'exists':
        return [String(await this.call(table, 'exists', step.row, Runner.getting(step)))];
      case 'scan':
        return this.scan(table, step);
      default:
        throw new Error(`unknown step: ${step.verb}`);
    }
  }

  static getting(step) {
    return { ...step.reading(2), storeLimit: step.number('limit'), storeOffset: step.number('offset') };
  }

  async tables(db) {
    const lines = [];
    for (const namespace of await this.call(db, 'namespaces')) {
      for (const name of await this.call(db, 'tables', { namespace })) {
        const enabled = await this.call(db, 'isTableEnabled', name);
        lines.push(enabled ? name : `${name} (disabled)`);
      }
    }
    return lines;
  }

  async puts(table, step) {
    const batch = table.batch(step.writing);
    const rows = parts(step.words.slice(1));
    for (const [row, ...cells] of rows) batch.put(value(row), Step.cells(cells));
    const answers = rows.map(() => 'ok');
    try {
      await this.call(batch, 'write');
    } catch (error) {
      if (!(error instanceof BatchError)) throw error;
      for (const { index, error: cause } of error.failures) answers[index] = failure(cause);
    }
    return answers;
  }

  delete(table, step) {
    const columns = step.words.length > 2 ? Step.markers(step.words.slice(2)) : undefined;
    const timestamp = step.has('at') ? BigInt(step.options.get('at')) : undefined;
    return this.call(table, 'delete', step.row, columns, { ...step.writing, timestamp });
  }

  /** `check table row f:q OP[=value] mutations…` */
  async check(table, step) {
    const [hbaseOp, given] = step.words[3].split(/=(.*)/s);
    // Scripts put the expected value on the left, as HBase does.
    const op = EXCHANGED[hbaseOp] ?? hbaseOp;
    const condition = { column: column(step.words[2]), op, value: given === undefined ? null : value(given) };
    return [String(await this.call(table, 'checkAndMutate', step.row, condition, step.mutations(4)))];
  }

  /** One line for each result: the row, its cells, and `…` if the next result continues the row. */
  async scan(table, step) {
    const options = {
      ...step.reading(1),
      start: step.bytes('start'),
      stop: step.bytes('stop'),
      batch: step.number('batch'),
      limit: step.number('limit'),
      caching: step.number('caching'),
      reverse: step.has('reversed'),
    };
    const rows = this.sync ? table.scanSync(options).toArray() : await table.scan(options).toArray();
    return rows.map((row) => [escape(row.key), ...row.cells.map(shownCell), ...(row.partial ? ['…'] : [])].join(' '));
  }
}

module.exports = { Runner };
