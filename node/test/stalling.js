'use strict';
/** A database over a store that stalls when told to: the development build of the native module has one. */

const { Database } = require('../lib/database.js');
const { EmbeddedBackend } = require('../lib/embedded/backend.js');
const { native } = require('../lib/embedded/native.js');

/** @returns {{ db: Database, store: { hold(reads: boolean): void, release(): void } }} */
function stalling() {
  const { NativeDatabase, StallingStore } = native();
  const store = new StallingStore();
  const backend = new EmbeddedBackend(NativeDatabase, 'utf8');
  backend.openOver(store);
  return { db: new Database(backend), store };
}

module.exports = { stalling };
