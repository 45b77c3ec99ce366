/** `hjall/testing` for ES modules: the same as testing.d.ts. */
import * as testing from './testing.js';

export * from './testing.js';
export default testing;
