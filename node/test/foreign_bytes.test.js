'use strict';
/** Arrays of bytes that lie about themselves, and data whose getters use the database: nothing else is disturbed. */

const assert = require('node:assert/strict');
const { test } = require('node:test');
const hjall = require('../lib/index.js');

const BYTES = [1, 2, 3];
const own = (name, get) => {
  const value = new Uint8Array(BYTES);
  Object.defineProperty(value, name, { get });
  return value;
};
const subclass = (name, get) => {
  class Odd extends Uint8Array {}
  Object.defineProperty(Odd.prototype, name, { get });
  return new Odd(BYTES);
};
const method = (name, run) => Object.defineProperty(new Uint8Array(BYTES), name, { value: run });

/** Arrays of the bytes 1, 2, 3, by what is unusual about them. */
const ODD = {};
for (const [what, length] of Object.entries({ 'not a number': NaN, 'too long': 100, 'too short': 1, negative: -1 }))
  for (const name of ['length', 'byteLength']) {
    ODD[`an own ${name} that is ${what}`] = () => own(name, () => length);
    ODD[`a ${name} of a subclass that is ${what}`] = () => subclass(name, () => length);
  }
ODD['an own byteOffset'] = () => own('byteOffset', () => 100);
ODD['an own buffer'] = () => own('buffer', () => new ArrayBuffer(1000));
ODD['an own valueOf'] = () => method('valueOf', () => own('length', () => 100));
ODD['an own subarray'] = () => method('subarray', () => new Uint8Array(50));
ODD['an own indexOf'] = () => method('indexOf', () => 77);
ODD['a subclass'] = () => new (class extends Uint8Array {})(BYTES);
ODD['a Buffer with an own length'] = () => Object.defineProperty(Buffer.from(BYTES), 'length', { value: 100 });
ODD['no prototype'] = () => Object.setPrototypeOf(new Uint8Array(BYTES), null);
ODD['a length that changes'] = () => {
  let reads = 0;
  return subclass('length', () => ((reads += 1) % 2 === 0 ? 100 : 3));
};

const column = (qualifier) => ({ family: 'f', qualifier });
/** Ways to write a value of a row. */
const WRITES = {
  put: (t, key, value) => t.put(key, { 'f:a': value }),
  'put of a cell': (t, key, value) => t.put(key, [{ column: 'f:a', value }]),
  'put of a Map': (t, key, value) => t.put(key, new Map([['f:a', value]])),
  'a long put': (t, key, value) => t.put(key, [{ column: 'f:a', value }, ...Array.from({ length: 1500 }, (_, i) => ({ column: `f:z${i}`, value }))]),
  batch: (t, key, value) => t.batch().put(key, { 'f:a': value }).write(),
  mutateRow: (t, key, value) => t.mutateRow(key, [{ put: { 'f:a': value } }]),
  append: (t, key, value) => t.append(key, 'f:a', value),
  checkAndPut: (t, key, value) => t.checkAndPut(key, 'f:none', null, { 'f:a': value }),
  createWriteStream: (t, key, value) => new Promise((resolve, reject) => {
    t.createWriteStream().once('error', reject).end([key, { 'f:a': value }], (error) => (error ? reject(error) : resolve()));
  }),
};

async function databases(t) {
  const local = hjall.memory();
  t.after(() => local.close());
  await local.createTable('t', ['f']);
  const { port } = await local.serve({ port: 0 });
  const remote = await hjall.connect({ port });
  t.after(() => remote.close());
  return { embedded: local.table('t'), remote: remote.table('t') };
}

test('the bytes of an array are written, whatever it says of itself', async (t) => {
  const tables = await databases(t);
  for (const [where, table] of Object.entries(tables))
    for (const [what, make] of Object.entries(ODD))
      for (const [how, write] of Object.entries(WRITES)) {
        const about = `${where}: ${how} of ${what}`;
        await tables.embedded.delete(Buffer.from(BYTES));
        const others = [table.put(Buffer.from('before'), { 'f:a': Buffer.from('x') })];
        const written = write(table, make(), make());
        others.push(table.put(Buffer.from('after'), { 'f:a': Buffer.from('x') }));
        await Promise.all([written, ...others]);
        assert.deepEqual((await tables.embedded.row(Buffer.from(BYTES))).get('f:a'), Buffer.from(BYTES), about);
      }
});

test('the bytes of an array name rows and columns, whatever it says of itself', async (t) => {
  for (const [where, table] of Object.entries(await databases(t)))
    for (const [what, make] of Object.entries(ODD)) {
      const about = `${where}: ${what}`;
      const key = Buffer.from(BYTES);
      await table.delete(key);
      await table.put(key, [{ ...column(make()), value: key }]);
      const row = await table.row(make(), { columns: column(make()) });
      assert.deepEqual(row.get(column(make())), key, about);
      assert.deepEqual((await table.rows([make()])).length, 1, about);
      assert.equal((await table.scan({ start: make(), limit: 1, filter: hjall.filters.value('=', make()) }).toArray()).length, 1, about);
      assert.equal(await table.count({ prefix: make() }), 1, about);
      assert.equal(await table.checkAndDelete(key, column(make()), make(), column(make())), true, about);
      assert.equal(await table.exists(key), false, about);
    }
});

test('synchronous calls write the bytes of an array', () => {
  const db = hjall.memory();
  db.createTableSync('t', ['f']);
  const table = db.table('t');
  for (const [what, make] of Object.entries(ODD)) {
    table.putSync(make(), { 'f:a': make() });
    assert.deepEqual(table.rowSync(make()).get('f:a'), Buffer.from(BYTES), what);
    assert.equal(table.deleteRowsSync({ prefix: make() }), 1, what);
  }
  db.closeSync();
});

test('a length that changes after the call is ignored', async (t) => {
  for (const [where, table] of Object.entries(await databases(t))) {
    const value = new Uint8Array(BYTES);
    const put = table.put(Buffer.from('r'), { 'f:a': value });
    Object.defineProperty(value, 'length', { value: 100 });
    await put;
    assert.deepEqual((await table.row(Buffer.from('r'))).get('f:a'), Buffer.from(BYTES), where);
  }
});

test('what only resembles an array of bytes is refused', async (t) => {
  const { embedded } = await databases(t);
  for (const value of [new Proxy(new Uint8Array(3), {}), Object.create(Uint8Array.prototype), Object.create(Buffer.prototype)])
    for (const write of Object.values(WRITES))
      await assert.rejects(async () => write(embedded, Buffer.from('r'), value), { name: 'TypeError', message: /must be a Buffer or Uint8Array/ });
});

test('getters of data may use the database', async (t) => {
  const other = Buffer.from('other');
  for (const [where, table] of Object.entries(await databases(t))) {
    const nested = [];
    const uses = [
      () => nested.push(table.put(other, { 'f:a': other })),
      () => nested.push(table.batch().put(other, { 'f:a': other }).write()),
      ...(where === 'embedded' ? [() => table.rowSync(other), () => table.putSync(other, { 'f:a': other })] : []),
    ];
    for (const use of uses) {
      const value = own('length', () => {
        use();
        return 3;
      });
      const data = () => ({
        get 'f:a'() {
          use();
          return value;
        },
        get 'f:b'() {
          use();
          return Buffer.from('b');
        },
      });
      const key = Buffer.from('r');
      const written = async () => {
        await Promise.all(nested.splice(0));
        assert.deepEqual({ ...(await table.row(key)).values }, { 'f:a': Buffer.from(BYTES), 'f:b': Buffer.from('b') }, where);
        await table.delete(key);
      };
      await table.put(key, data());
      await written();
      await table.batch().put(key, data()).write();
      await written();
      if (where === 'remote') continue;
      table.putSync(key, data());
      await written();
      table.batch().put(key, data()).writeSync();
      await written();
    }
  }
});

test('arrays of a subclass are lists of their elements', async (t) => {
  class List extends Array {
    *[Symbol.iterator]() {
      yield { column: 'f:evil', value: Buffer.from('x') };
    }
  }
  for (const [where, table] of Object.entries(await databases(t))) {
    const cells = List.of({ column: 'f:a', value: Buffer.from('a') }, { column: 'f:b', value: Buffer.from('b') });
    await table.put(Buffer.from('r'), cells);
    assert.deepEqual((await table.row(Buffer.from('r'))).columns, ['f:a', 'f:b'], where);
    await table.delete(Buffer.from('r'), List.of('f:a', 'f:b'));
    assert.equal(await table.exists(Buffer.from('r')), false, where);
  }
});

test('a put that a getter of its data separates from its batch is kept', async () => {
  const db = hjall.memory({ encoding: 'utf8' });
  db.createTableSync('t', ['f']);
  const table = db.table('t');
  const batch = table.batch();
  batch.put('before', { 'f:a': 'x' });
  const written = [];
  batch.put('r', {
    get 'f:a'() {
      written.push(batch.write());
      return 'x';
    },
  });
  batch.delete('none', new Proxy(['f:a'], {
    get(target, name) {
      if (name === '0') written.push(batch.write());
      return target[name];
    },
  }));
  assert.equal(batch.size, 1);
  await Promise.all([...written, batch.write()]);
  assert.deepEqual((await table.scan().toArray()).map(({ key }) => key), ['before', 'r']);
  await db.close();
});

/** Arrays whose memory the program has given away, and what makes them so. */
const transfer = (array) => structuredClone(array.buffer, { transfer: [array.buffer] });
const LOST = {
  transferred: () => [new Uint8Array(BYTES), transfer],
  'outside of a buffer that was made smaller': () => [
    new Uint8Array(new ArrayBuffer(10, { maxByteLength: 20 }), 5, 5),
    (array) => array.buffer.resize(2),
  ],
};

test('bytes without memory are refused, with the name of what they are for', async (t) => {
  const key = Buffer.from('r');
  for (const [where, table] of Object.entries(await databases(t)))
    for (const [what, make] of Object.entries(LOST)) {
      const lost = () => {
        const [array, lose] = make();
        lose(array);
        return array;
      };
      const refused = async (call, name) => {
        const message = new RegExp(`^${name} has no memory: .*pass a copy`);
        await assert.rejects(async () => call(), { name: 'TypeError', message }, `${where}: ${name}, ${what}`);
      };
      const VALUE = 'the value of f:a';
      const names = { batch: 'batch.put', createWriteStream: 'createWriteStream: row 0', 'put of a cell': 'put', 'put of a Map': 'put', 'a long put': 'put' };
      for (const [how, write] of Object.entries(WRITES)) {
        const method = names[how] ?? how;
        await refused(() => write(table, key, lost()), how === 'append' ? 'append: value' : `${method}: ${VALUE}`);
        await refused(() => write(table, lost(), key), `${method}: row key`);
      }
      await refused(() => table.row(lost()), 'row: row key');
      await refused(() => table.row(key, { columns: [lost()] }), 'row: column');
      await refused(() => table.delete(key, { family: 'f', qualifier: lost() }), 'delete: column: qualifier');
      await refused(() => table.scan({ prefix: lost() }), 'scan: option `prefix`');
      await refused(() => hjall.filters.prefix(lost()), 'filters.prefix: prefix');
      await refused(() => hjall.codecs.int32.decode(lost()), 'codecs.int32: the value');
      // A getter of the data loses what was converted before it.
      const losing = (lose) => ({ get: () => (lose(), Buffer.from('b')), enumerable: true });
      for (const [method, put] of [
        ['put', (row, data) => table.put(row, data)],
        ['mutateRow', (row, data) => table.mutateRow(row, [{ put: data }])],
        ...(where === 'embedded' ? [['putSync', (row, data) => table.putSync(row, data)], ['batch.put', (row, data) => table.batch().put(row, data)]] : []),
      ]) {
        const [value, loseValue] = make();
        await refused(() => put(key, Object.defineProperty({ 'f:a': value }, 'f:b', losing(() => loseValue(value)))), `${method}: ${VALUE}`);
        if (method === 'put' || method === 'putSync') continue;
        const [row, loseRow] = make();
        if (method === 'mutateRow') await refused(() => put(row, Object.defineProperty({}, 'f:b', losing(() => loseRow(row)))), `${method}: row key`);
      }
      assert.equal(await table.exists(key), false);
    }
  // Calls that wait for a later turn copy their arguments, and refuse these, too.
  const { embedded } = await databases(t);
  const [array, lose] = LOST.transferred();
  lose(array);
  const calls = Array.from({ length: 2000 }, () => embedded.put(key, { 'f:a': array }));
  for (const { reason } of await Promise.allSettled(calls)) assert.match(reason.message, /^put: the value of f:a has no memory/);
});
