'use strict';
/** A database on a store that can be stalled, which only development builds of the native module have. */

const { Database } = require('../lib/database.js');
const { EmbeddedBackend } = require('../lib/embedded/backend.js');
const { native } = require('../lib/embedded/native.js');

/** @returns {{ db: Database, store: { hold(reads: boolean): void, release(): void } }} */
function stalling() {
  const { NativeDatabase, StallingStore } = native();
  const store = new StallingStore();
  const backend = new EmbeddedBackend(NativeDatabase, 'utf8');
  backend.openOnStore(store);
  return { db: new Database(backend), store };
}

module.exports = { stalling };
