'use strict';
/** Objects that cannot be copied to another thread, since a copy would be empty. */

const { markAsUncloneable } = require('node:worker_threads');

/**
 * Lets `structuredClone` and `postMessage` refuse an object with a DataCloneError. Node has this since 22.10; before,
 * they make an empty object of it.
 * @type {(object: object) => void}
 */
const refuseClones = markAsUncloneable ?? (() => {});

module.exports = { refuseClones };
