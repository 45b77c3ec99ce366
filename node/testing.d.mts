/** `hjall/testing` for ES modules; see testing.d.ts. */
import * as testing from './testing.js';

export * from './testing.js';
export default testing;
