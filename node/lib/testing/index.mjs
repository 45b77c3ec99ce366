/** `hjall/testing` for ES modules: the same as index.js. */
import testing from './index.js';

export const { TestDatabase, databasePerTest, freshDatabase } = testing;
export default testing;
