/** hjall for Node, for ES modules: the same as index.d.ts. */
import * as hjall from './index.js';

export * from './index.js';
export default hjall;
