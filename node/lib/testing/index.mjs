/** `hjall/testing` for ES modules: the objects of `index.js`. */
import testing from './index.js';

export const { TestDatabase, databasePerTest, freshDatabase } = testing;
export default testing;
