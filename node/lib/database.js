'use strict';
/**
 * A database: its tables and their descriptors, namespaces, maintenance. The same class serves embedded and remote
 * databases.
 */

const { inspect } = require('node:util');
const { Backend, OPERATIONS } = require('./backend.js');
const { name: nameBytes } = require('./bytes.js');
const { refuseClones } = require('./cloning.js');
const { progressOf, watchOf } = require('./embedded/progress.js');
const { checked, flag, pathOf, shown, signalOf, whole } = require('./options.js');
const { TABLE_OPTIONS, descriptorOf, familyOf, namespaceOf, shownDescriptor } = require('./schema.js');
const { Server, nextServer, serversStopped } = require('./server.js');
const { SPLIT_OPTIONS, splitsOf } = require('./splits.js');
const { Table } = require('./table.js');
const { BACKEND, defineMethods, task } = require('./methods.js');

const SIGNAL = new Set(['signal']);
const CREATE_OPTIONS = new Set([...TABLE_OPTIONS, ...SPLIT_OPTIONS, 'ifNotExists', 'signal']);
const BACKUP_OPTIONS = new Set(['incremental', 'onProgress', 'signal']);
const COMPACT_OPTIONS = new Set(['major', 'onProgress', 'signal']);
const ALTER_OPTIONS = new Set([...TABLE_OPTIONS, 'signal']);

function tableName(name, where) {
  if (typeof name !== 'string')
    throw new TypeError(`${where}: the table name must be a string ('users' or 'namespace:users'), not ${shown(name)}`);
  return name;
}

/** Made by `open`, `memory` or `connect`. */
class Database {
  constructor(backend) {
    if (!(backend instanceof Backend))
      throw new TypeError('new Database: databases are made by open(folder), memory() or connect(address)');
    Object.defineProperty(this, BACKEND, { value: backend });
    refuseClones(this);
  }

  /** A table by name. Whether it exists is not checked before it is used. */
  table(name) {
    return new Table(this[BACKEND], tableName(name, 'table'));
  }

  /** Completes pending calls, also of several steps, then closes the database. Later calls fail with code CLOSED. */
  close() {
    const backend = this[BACKEND];
    return backend.deferred.thenClose(() => {
      serversStopped(backend);
      return backend.close();
    });
  }

  /** Closes the database on the calling thread; see `close`. */
  closeSync() {
    this[BACKEND].deferred.beginAll();
    serversStopped(this[BACKEND]);
    this[BACKEND].closeSync();
  }
}

/** Ignores the error of a table that exists. */
function unlessExists(error) {
  if (error.code !== 'TABLE_EXISTS') throw error;
}

/** A task whose progress is reported, and which the signal ends. `options` are `onProgress` and `signal`. */
function watchedTask(operation, request, options) {
  const report = progressOf(options.onProgress, operation);
  const watch = watchOf(operation, report, signalOf(options, operation));
  const made = task(operation, { ...request, number: watch.number }, options);
  return watch.number === 0 ? made : { ...made, watch };
}

/** Prepares an operation whose only argument is a table name. */
const onTable = (operation, where, known = SIGNAL) =>
  function prepare(name, options) {
    const { signal, ...rest } = checked(options, known, where);
    return task(operation, { table: tableName(name, where), ...rest }, { signal });
  };

defineMethods(Database, {
  /** The names of all tables, or of those in one namespace, sorted. */
  tables(options) {
    const { namespace, signal } = checked(options, new Set(['namespace', 'signal']), 'tables');
    if (namespace !== undefined && typeof namespace !== 'string')
      throw new TypeError(`tables: option \`namespace\` must be a string, not ${shown(namespace)}`);
    const wanted = (name) =>
      (name.includes(':') ? name.split(':')[0] : 'default') === (namespace ?? name.split(':')[0]);
    const listed = (name) => (namespace === undefined ? !name.startsWith('hbase:') : wanted(name));
    return task(OPERATIONS.tables, {}, { signal }, (all) => all.filter(listed));
  },
  /**
   * Creates a table. Families are { info: { versions: 3 } } or names. `splits`, or `splitAlgo` and `regions`,
   * pre-split it. With `ifNotExists`, an existing table is left as it is, even if its families differ.
   */
  createTable(name, families, options) {
    const given = checked(options, CREATE_OPTIONS, 'createTable');
    const descriptor = descriptorOf(tableName(name, 'createTable'), families, given, 'createTable');
    const ifNotExists = flag(given.ifNotExists, 'createTable: option `ifNotExists`');
    return task(
      OPERATIONS.createTable,
      { table: descriptor.name, descriptor, splits: splitsOf(given, 'createTable', this[BACKEND].encoding), ifNotExists },
      given,
      undefined,
      ifNotExists ? unlessExists : undefined,
    );
  },
  /**
   * Replaces a table's descriptor. Families that are not listed are removed with their data; `alterFamily` changes a
   * single one.
   */
  alterTable(name, families, options) {
    const given = checked(options, ALTER_OPTIONS, 'alterTable');
    return task(
      OPERATIONS.modifyTable,
      { table: name, descriptor: descriptorOf(tableName(name, 'alterTable'), families, given, 'alterTable') },
      given,
    );
  },
  /** Drops a disabled table. */
  dropTable: onTable(OPERATIONS.deleteTable, 'dropTable'),
  /** Deletes all rows of a disabled table and enables it. Its regions are kept only with `preserveSplits`. */
  truncateTable(name, options) {
    const { preserveSplits, signal } = checked(options, new Set(['preserveSplits', 'signal']), 'truncateTable');
    const request = {
      table: tableName(name, 'truncateTable'),
      preserveSplits: flag(preserveSplits, 'truncateTable: option `preserveSplits`'),
    };
    return task(OPERATIONS.truncateTable, request, { signal });
  },
  enableTable: onTable(OPERATIONS.enableTable, 'enableTable'),
  disableTable: onTable(OPERATIONS.disableTable, 'disableTable'),
  isTableEnabled: onTable(OPERATIONS.isTableEnabled, 'isTableEnabled'),
  tableExists: onTable(OPERATIONS.tableExists, 'tableExists'),
  /** A table's descriptor, { name, families, options }, in the form that `createTable` accepts. */
  describeTable(name, options) {
    const given = checked(options, SIGNAL, 'describeTable');
    return task(OPERATIONS.describeTable, { table: tableName(name, 'describeTable') }, given, shownDescriptor);
  },
  /** A table's regions, { id, start, end }, ordered by start key. */
  regions(name, options) {
    const given = checked(options, SIGNAL, 'regions');
    const { reading } = this[BACKEND];
    return task(OPERATIONS.regions, { table: tableName(name, 'regions') }, given, (all) =>
      all.map(({ id, start, end }) => ({ id: reading.long(id), start: reading.bytes(start), end: reading.bytes(end) })),
    );
  },
  addFamily(table, family, options, call) {
    const given = checked(call, SIGNAL, 'addFamily');
    return task(
      OPERATIONS.addFamily,
      { table: tableName(table, 'addFamily'), family: familyOf(family, options, 'addFamily') },
      given,
    );
  },
  /** Replaces a family's descriptor. */
  alterFamily(table, family, options, call) {
    const given = checked(call, SIGNAL, 'alterFamily');
    return task(
      OPERATIONS.modifyFamily,
      { table: tableName(table, 'alterFamily'), family: familyOf(family, options, 'alterFamily') },
      given,
    );
  },
  /** Removes a family and its data. */
  dropFamily(table, family, options) {
    const given = checked(options, SIGNAL, 'dropFamily');
    return task(
      OPERATIONS.deleteFamily,
      { table: tableName(table, 'dropFamily'), family: nameBytes(family, 'dropFamily: family name') },
      given,
    );
  },
  /** Writes a table's memory buffers to files. */
  flush: onTable(OPERATIONS.flush, 'flush'),
  /**
   * Compacts a table's files; with `major`, also drops everything that reads can no longer see. Resolves when the
   * compaction has ended. `onProgress` is called at intervals with { bytes }, those that have been read. `signal`, and
   * an exception from `onProgress`, end the compaction.
   */
  compact(name, options) {
    const given = checked(options, COMPACT_OPTIONS, 'compact');
    const request = { table: tableName(name, 'compact'), major: flag(given.major, 'compact: option `major`') };
    return watchedTask(OPERATIONS.compact, request, given);
  },
  /**
   * Copies the database, as of one moment during the call, to a folder that does not exist or is empty. Reads and
   * writes continue. `open` opens the copy, and `restore` copies it again. With `incremental`, files that have not
   * changed are shared by hard links, and an earlier backup in the folder is replaced. `signal`, and an exception from
   * `onProgress`, end the backup.
   */
  backup(path, options) {
    const given = checked(options, BACKUP_OPTIONS, 'backup');
    const incremental = flag(given.incremental, 'backup: option `incremental`');
    return watchedTask(OPERATIONS.backup, { path: pathOf(path, 'backup'), incremental }, given);
  },
  /**
   * Figures of a table: { fileBytes, files, regions, reads, writes }. Data that is still in memory is not in files;
   * reads and writes count since the database was opened.
   */
  tableStatistics: onTable(OPERATIONS.tableStatistics, 'tableStatistics'),
  /** Figures of the database: sizes in bytes, files, and hits and misses of the caches. */
  statistics(options) {
    return task(OPERATIONS.statistics, {}, checked(options, SIGNAL, 'statistics'));
  },
  createNamespace(name, configuration, options) {
    return task(
      OPERATIONS.createNamespace,
      { namespace: namespaceOf(name, configuration, 'createNamespace') },
      checked(options, SIGNAL, 'createNamespace'),
    );
  },
  /** Replaces a namespace's configuration. */
  alterNamespace(name, configuration, options) {
    return task(
      OPERATIONS.modifyNamespace,
      { namespace: namespaceOf(name, configuration, 'alterNamespace') },
      checked(options, SIGNAL, 'alterNamespace'),
    );
  },
  /** Drops an empty namespace. */
  dropNamespace(name, options) {
    return task(
      OPERATIONS.deleteNamespace,
      { name: namespaceOf(name, {}, 'dropNamespace').name },
      checked(options, SIGNAL, 'dropNamespace'),
    );
  },
  /** A namespace: { name, configuration }. */
  describeNamespace(name, options) {
    return task(
      OPERATIONS.describeNamespace,
      { name: namespaceOf(name, {}, 'describeNamespace').name },
      checked(options, SIGNAL, 'describeNamespace'),
    );
  },
  /** The names of all namespaces, sorted. */
  namespaces(options) {
    const given = checked(options, SIGNAL, 'namespaces');
    return task(OPERATIONS.namespaces, {}, given);
  },
  /**
   * Serves the database to Thrift clients while it is open: { host = '127.0.0.1', port = 9090 }. Port 0 picks a free
   * one. Returns a Server, which keeps the process alive until it or the database is closed, or `unref` is called.
   */
  serve(options) {
    const { host = '127.0.0.1', port, signal } = checked(options, new Set(['host', 'port', 'signal']), 'serve');
    if (typeof host !== 'string') throw new TypeError(`serve: option \`host\` must be a string, not ${shown(host)}`);
    const number = nextServer();
    const request = { number, host, port: whole(port, 'serve: option `port`', 0, 65535, 9090) };
    return task(OPERATIONS.serve, request, { signal }, (at) => new Server(this[BACKEND], number, at));
  },
  /** The current time of the database's clock, in milliseconds since the Unix epoch. */
  now(options) {
    return task(OPERATIONS.now, {}, checked(options, SIGNAL, 'now'), (time) => this[BACKEND].reading.long(time));
  },
  /** The database's UUID. */
  clusterId(options) {
    return task(OPERATIONS.clusterId, {}, checked(options, SIGNAL, 'clusterId'));
  },
});

Database.prototype[Symbol.asyncDispose] = function dispose() {
  return this.close();
};
Database.prototype[Symbol.dispose] = function dispose() {
  this.closeSync();
};

Database.prototype[inspect.custom] = function inspected(_depth, options, print) {
  const { place, isClosed } = this[BACKEND];
  return `Database ${print({ ...place, state: isClosed ? 'closed' : 'open' }, options)}`;
};

module.exports = { Database };
