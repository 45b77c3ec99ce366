'use strict';
/** A database: its tables, their descriptors, namespaces, upkeep. The same for the engine in this process and for a server far away. */

const { OPERATIONS } = require('./backend.js');
const { name: nameBytes } = require('./bytes.js');
const { checked, flag, shown, whole } = require('./options.js');
const { TABLE_OPTIONS, descriptorOf, familyOf, namespaceOf, shownDescriptor } = require('./schema.js');
const { Server, nextServer } = require('./server.js');
const { SPLIT_OPTIONS, splitsOf } = require('./splits.js');
const { Table } = require('./table.js');
const { BACKEND, task, twins } = require('./twins.js');

const SIGNAL = new Set(['signal']);
const CREATE_OPTIONS = new Set([...TABLE_OPTIONS, ...SPLIT_OPTIONS, 'signal']);
const ALTER_OPTIONS = new Set([...TABLE_OPTIONS, 'signal']);

function tableName(name, where) {
  if (typeof name !== 'string') throw new TypeError(`${where}: the table's name must be a string, 'users' or 'namespace:users', not ${shown(name)}`);
  return name;
}

/** Made by `open`, `memory` or `connect`. */
class Database {
  constructor(backend) {
    Object.defineProperty(this, BACKEND, { value: backend });
  }

  /** A table by name; whether it exists shows when it is used. */
  table(name) {
    return new Table(this[BACKEND], tableName(name, 'table'));
  }

  /** Lets calls under way end, then closes. Idempotent; later calls fail with code CLOSED. */
  close() {
    return this[BACKEND].close();
  }

  /** The same on the calling thread. */
  closeSync() {
    this[BACKEND].closeSync();
  }
}

/** A task about one table by name and nothing else. */
const about = (operation, where, known = SIGNAL) =>
  function prepare(name, options) {
    const { signal, ...rest } = checked(options, known, where);
    return task(operation, { table: tableName(name, where), ...rest }, { signal });
  };

twins(Database, {
  /** Names of tables, sorted; of one namespace if given. */
  tables(options) {
    const { namespace, signal } = checked(options, new Set(['namespace', 'signal']), 'tables');
    if (namespace !== undefined && typeof namespace !== 'string') throw new TypeError(`tables: option \`namespace\` must be a string, not ${shown(namespace)}`);
    const wanted = (name) => (name.includes(':') ? name.split(':')[0] : 'default') === (namespace ?? name.split(':')[0]);
    const listed = ({ descriptor: { name } }) => (namespace === undefined ? !name.startsWith('hbase:') : wanted(name));
    return task(OPERATIONS.tables, {}, { signal }, (all) => all.filter(listed).map((one) => one.descriptor.name));
  },
  /** Makes a table. Families: { info: { versions: 3 } } or names. Pre-split by `splits`, or by `splitAlgo` and `regions`. */
  createTable(name, families, options) {
    const given = checked(options, CREATE_OPTIONS, 'createTable');
    const descriptor = descriptorOf(tableName(name, 'createTable'), families, given, 'createTable');
    return task(OPERATIONS.createTable, { descriptor, splits: splitsOf(given, 'createTable', this[BACKEND].encoding) }, given);
  },
  /** Replaces a table's descriptor: families not named are removed with their data. For one family see `alterFamily`. */
  alterTable(name, families, options) {
    const given = checked(options, ALTER_OPTIONS, 'alterTable');
    return task(OPERATIONS.modifyTable, { descriptor: descriptorOf(tableName(name, 'alterTable'), families, given, 'alterTable') }, given);
  },
  /** Drops a disabled table. */
  dropTable: about(OPERATIONS.deleteTable, 'dropTable'),
  /** Empties a disabled table and enables it; its regions stay only with `preserveSplits`. */
  truncateTable(name, options) {
    const { preserveSplits, signal } = checked(options, new Set(['preserveSplits', 'signal']), 'truncateTable');
    const request = { table: tableName(name, 'truncateTable'), preserveSplits: flag(preserveSplits, 'truncateTable: option `preserveSplits`') };
    return task(OPERATIONS.truncateTable, request, { signal });
  },
  enableTable: about(OPERATIONS.enableTable, 'enableTable'),
  disableTable: about(OPERATIONS.disableTable, 'disableTable'),
  isTableEnabled: about(OPERATIONS.isTableEnabled, 'isTableEnabled'),
  tableExists: about(OPERATIONS.tableExists, 'tableExists'),
  /** A table's descriptor: { name, families, options }, as `createTable` takes them. */
  describeTable(name, options) {
    const given = checked(options, SIGNAL, 'describeTable');
    return task(OPERATIONS.describeTable, { table: tableName(name, 'describeTable') }, given, shownDescriptor);
  },
  /** A table's regions by start key: { id, start, end }. */
  regions: about(OPERATIONS.regions, 'regions'),
  addFamily(table, family, options, call) {
    const given = checked(call, SIGNAL, 'addFamily');
    return task(OPERATIONS.addFamily, { table: tableName(table, 'addFamily'), family: familyOf(family, options, 'addFamily') }, given);
  },
  /** Replaces a family's descriptor. */
  alterFamily(table, family, options, call) {
    const given = checked(call, SIGNAL, 'alterFamily');
    return task(OPERATIONS.modifyFamily, { table: tableName(table, 'alterFamily'), family: familyOf(family, options, 'alterFamily') }, given);
  },
  /** Removes a family and its data. */
  dropFamily(table, family, options) {
    const given = checked(options, SIGNAL, 'dropFamily');
    return task(OPERATIONS.deleteFamily, { table: tableName(table, 'dropFamily'), family: nameBytes(family, 'dropFamily: family name') }, given);
  },
  /** Writes a table's memory to files. */
  flush: about(OPERATIONS.flush, 'flush'),
  /** Compacts a table's files; with `major` forgets all that can be forgotten. Done when the promise is. */
  compact(name, options) {
    const { major, signal } = checked(options, new Set(['major', 'signal']), 'compact');
    return task(OPERATIONS.compact, { table: tableName(name, 'compact'), major: flag(major, 'compact: option `major`') }, { signal });
  },
  createNamespace(name, configuration, options) {
    return task(OPERATIONS.createNamespace, { namespace: namespaceOf(name, configuration, 'createNamespace') }, checked(options, SIGNAL, 'createNamespace'));
  },
  /** Replaces a namespace's configuration. */
  alterNamespace(name, configuration, options) {
    return task(OPERATIONS.modifyNamespace, { namespace: namespaceOf(name, configuration, 'alterNamespace') }, checked(options, SIGNAL, 'alterNamespace'));
  },
  /** Drops an empty namespace. */
  dropNamespace(name, options) {
    return task(OPERATIONS.deleteNamespace, { name: namespaceOf(name, {}, 'dropNamespace').name }, checked(options, SIGNAL, 'dropNamespace'));
  },
  /** A namespace: { name, configuration }. */
  describeNamespace(name, options) {
    return task(OPERATIONS.describeNamespace, { name: namespaceOf(name, {}, 'describeNamespace').name }, checked(options, SIGNAL, 'describeNamespace'));
  },
  /** Names of namespaces, sorted. */
  namespaces(options) {
    const given = checked(options, SIGNAL, 'namespaces');
    return task(OPERATIONS.namespaces, {}, given, (all) => all.map((one) => one.name));
  },
  /** Serves the database to Thrift clients while it is open: { host = '127.0.0.1', port = 9090 }; port 0 is any free one. Returns a Server. */
  serve(options) {
    const { host = '127.0.0.1', port, signal } = checked(options, new Set(['host', 'port', 'signal']), 'serve');
    if (typeof host !== 'string') throw new TypeError(`serve: option \`host\` must be a string, not ${shown(host)}`);
    const number = nextServer();
    const request = { number, host, port: whole(port, 'serve: option `port`', 0, 65535, 9090) };
    return task(OPERATIONS.serve, request, { signal }, (at) => new Server(this[BACKEND], number, at));
  },
  /** The time as writes see it, in milliseconds since 1970. */
  now(options) {
    return task(OPERATIONS.now, {}, checked(options, SIGNAL, 'now'));
  },
  /** A UUID made with the database. */
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

module.exports = { Database };
