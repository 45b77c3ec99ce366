'use strict';
/**
 * Executes each operation of `../backend.js` as Thrift2 calls. Handlers are called with (client, request, signal,
 * reading).
 */
const { make, plainText } = require('../errors.js');
const { descriptorOf, familyOf, nameOf, namespaceOf, readDescriptor, readNamespace, tableNameOf } = require('./descriptor.js');
const { explained, getMany, mutateMany } = require('./batches.js');
const request = require('./request.js');
const { rowOrUndefined, writtenRow } = require('./result.js');

const bytesOf = (name) => Buffer.from(name);

/** A method whose only argument is a TTableName, and whose result is void or a boolean. */
const onTable =
  (method) =>
  (client, { table }, signal) =>
    client.call(method, { tableName: tableNameOf(table) }, { signal, table });

async function mutate(client, { table, mutation }, signal) {
  const about = { signal, table };
  if (mutation.kind === 'put')
    return client.call('put', { table: bytesOf(table), tput: request.putOf(mutation) }, about).catch((error) => {
      throw explained(error, mutation);
    });
  const deletes = request.deletesOf(mutation);
  if (deletes.length === 1) return client.call('deleteSingle', { table: bytesOf(table), tdelete: deletes[0] }, about);
  const mutations = deletes.map((deleteSingle) => ({ deleteSingle }));
  return client.call('mutateRow', { table: bytesOf(table), trowMutations: { row: mutation.row, mutations } }, about);
}

async function createTable(client, { table, descriptor, splits, ifNotExists }, signal) {
  if (ifNotExists && (await isKnown(client, table, signal))) return;
  await client.call(
    'createTable',
    { desc: descriptorOf(descriptor), splitKeys: request.splitsOf(splits) },
    { signal, table },
  );
}

/** Whether a table is known to exist: users with any role for it may ask, others get the error of what they ask for. */
async function isKnown(client, table, signal) {
  try {
    return await HANDLERS.tableExists(client, { table }, signal);
  } catch (error) {
    if (error.code === 'ACCESS_DENIED') return false;
    throw error;
  }
}

async function regions(client, { table }, signal) {
  const locations = await client.call('getAllRegionLocations', { table: bytesOf(table) }, { signal, table });
  // For a missing table the gateway returns no regions instead of an error.
  if (locations.length === 0 && !(await HANDLERS.tableExists(client, { table }, signal))) {
    throw make('TableNotFound', plainText('TableNotFound', table));
  }
  return locations.map(({ regionInfo: { regionId, startKey = EMPTY, endKey = EMPTY } }) => ({
    id: regionId,
    start: startKey,
    end: endKey,
  }));
}

const EMPTY = Buffer.alloc(0);

/** Operation → handler. */
const HANDLERS = {
  __proto__: null,
  get: async (client, { table, get }, signal, reading) =>
    rowOrUndefined(
      await client.call('get', { table: bytesOf(table), tget: request.getOf(get) }, { signal, table }),
      reading,
    ),
  exists: async (client, { table, get }, signal) =>
    client.call('exists', { table: bytesOf(table), tget: request.getOf(get) }, { signal, table }),
  getMany,
  mutate,
  mutateMany,
  mutateRow: async (client, { table, row, mutations }, signal) =>
    client.call(
      'mutateRow',
      { table: bytesOf(table), trowMutations: { row: request.rowOf(row), mutations: request.mutationsOf(mutations) } },
      { signal, table },
    ),
  checkAndMutate: async (client, { table, check, mutations }, signal) =>
    client.call('checkAndMutate', { table: bytesOf(table), ...request.checkOf(check, mutations) }, { signal, table }),
  increment: async (client, { table, increment }, signal, reading) =>
    writtenRow(
      await client.call(
        'increment',
        { table: bytesOf(table), tincrement: request.incrementOf(increment) },
        { signal, table },
      ),
      reading,
      increment.row,
    ),
  append: async (client, { table, append }, signal, reading) =>
    writtenRow(
      await client.call('append', { table: bytesOf(table), tappend: request.appendOf(append) }, { signal, table }),
      reading,
      append.row,
    ),

  createTable,
  modifyTable: async (client, { descriptor }, signal) =>
    client.call('modifyTable', { desc: descriptorOf(descriptor) }, { signal, table: descriptor.name }),
  deleteTable: onTable('deleteTable'),
  truncateTable: (client, { table, preserveSplits }, signal) =>
    client.call('truncateTable', { tableName: tableNameOf(table), preserveSplits }, { signal, table }),
  enableTable: onTable('enableTable'),
  disableTable: onTable('disableTable'),
  isTableEnabled: onTable('isTableEnabled'),
  tableExists: onTable('tableExists'),
  describeTable: async (client, { table }, signal) =>
    readDescriptor(await client.call('getTableDescriptor', { table: tableNameOf(table) }, { signal, table })),
  // Lists of descriptors leave out the tables that the user may not administer; lists of names do not.
  tables: async (client, _, signal) =>
    (await client.call('getTableNamesByPattern', { includeSysTables: true }, { signal })).map(nameOf),
  regions,
  addFamily: (client, { table, family }, signal) =>
    client.call('addColumnFamily', { tableName: tableNameOf(table), column: familyOf(family) }, { signal, table }),
  modifyFamily: (client, { table, family }, signal) =>
    client.call('modifyColumnFamily', { tableName: tableNameOf(table), column: familyOf(family) }, { signal, table }),
  deleteFamily: (client, { table, family }, signal) =>
    client.call('deleteColumnFamily', { tableName: tableNameOf(table), column: family }, { signal, table }),

  createNamespace: (client, { namespace }, signal) =>
    client.call('createNamespace', { namespaceDesc: namespaceOf(namespace) }, { signal }),
  modifyNamespace: (client, { namespace }, signal) =>
    client.call('modifyNamespace', { namespaceDesc: namespaceOf(namespace) }, { signal }),
  deleteNamespace: (client, { name }, signal) => client.call('deleteNamespace', { name }, { signal }),
  describeNamespace: async (client, { name }, signal) =>
    readNamespace(await client.call('getNamespaceDescriptor', { name }, { signal })),
  namespaces: (client, _, signal) => client.call('listNamespaces', {}, { signal }),

  clusterId: (client, _, signal) => client.call('getClusterId', {}, { signal }),
};

module.exports = { HANDLERS };
