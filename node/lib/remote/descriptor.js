'use strict';
/** Descriptors of tables, families and namespaces, to the contract's structs and back. */

/** TTableName of `qualifier` or `namespace:qualifier`. */
function tableNameOf(name) {
  const at = name.indexOf(':');
  return at < 0 ? { qualifier: Buffer.from(name) } : { ns: Buffer.from(name.slice(0, at)), qualifier: Buffer.from(name.slice(at + 1)) };
}

/** A TTableName as HBase writes it: tables of the default namespace without it. */
function nameOf({ ns, qualifier }) {
  const space = ns === undefined ? '' : ns.toString();
  return space === '' || space === 'default' ? qualifier.toString() : `${space}:${qualifier}`;
}

const text = (pairs) => pairs.map(([key, value]) => [bufferOf(key).toString(), bufferOf(value).toString()]);
const bytes = (pairs) => pairs.map(([key, value]) => [Buffer.from(key), Buffer.from(value)]);
const bufferOf = (part) => (Buffer.isBuffer(part) ? part : Buffer.from(part));
const unlessEmpty = (pairs) => (pairs.length === 0 ? undefined : pairs);
const sorted = (pairs) => pairs.sort(([a], [b]) => Buffer.compare(a, b));

/** TColumnFamilyDescriptor. Everything goes as an attribute under HBase's name, which says the same as the typed fields and more. */
function familyOf({ name, attributes, configuration }) {
  return { name, attributes: unlessEmpty(attributes), configuration: unlessEmpty(text(configuration)) };
}

/** TTableDescriptor. */
function descriptorOf({ name, families, attributes }) {
  return { tableName: tableNameOf(name), columns: families.map(familyOf), attributes: unlessEmpty(attributes) };
}

/** A descriptor as it came. */
function readDescriptor({ tableName, columns = [], attributes = [] }) {
  return { name: nameOf(tableName), families: columns.map(readFamily), attributes: sorted(attributes) };
}

function readFamily({ name, attributes = [], configuration = [] }) {
  return { name, attributes: sorted(attributes), configuration: sorted(bytes(configuration)) };
}

/** TNamespaceDescriptor. */
function namespaceOf({ name, configuration = {} }) {
  return { name, configuration: unlessEmpty(Object.entries(configuration)) };
}

function readNamespace({ name, configuration = [] }) {
  return { name, configuration: Object.fromEntries(configuration) };
}

module.exports = { descriptorOf, familyOf, namespaceOf, nameOf, readDescriptor, readNamespace, tableNameOf };
