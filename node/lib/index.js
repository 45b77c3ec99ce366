'use strict';
/** The exports of the package. `index.mjs` repeats them for ES modules. */

const { Batch, BatchError } = require('./batch.js');
const { fromLong, long } = require('./bytes.js');
const { codecs } = require('./codecs.js');
const { Comparator, compare } = require('./comparator.js');
const { Database } = require('./database.js');
const { ManualClock, memory, open, openSync, restore, restoreSync } = require('./embedded/open.js');
const {
  CODES,
  ILLEGAL_ARGUMENT,
  KINDS,
  exactKind,
  hbaseException,
  kindName,
  make,
  plainText,
  withRemedy,
  ...errors
} = require('./errors.js');
const { Filter, filters } = require('./filter.js');
const { connect } = require('./remote/connect.js');
const { Row } = require('./row.js');
const { Scan, SyncScan } = require('./scan.js');
const { Server } = require('./server.js');
const { Table } = require('./table.js');

module.exports = {
  ...errors,
  Batch,
  BatchError,
  Comparator,
  Database,
  Filter,
  ManualClock,
  Row,
  Scan,
  Server,
  SyncScan,
  Table,
  codecs,
  compare,
  connect,
  filters,
  fromLong,
  long,
  memory,
  open,
  openSync,
  restore,
  restoreSync,
};
