/** hjall for Node, for ES modules; see index.d.ts. */
import * as hjall from './index.js';

export * from './index.js';
export default hjall;
