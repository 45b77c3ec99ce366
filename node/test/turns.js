'use strict';
/** Counting turns of the event loop. */

/** The result of a call, and the number of turns of the event loop until it ended. */
async function turns(call) {
  let count = 0;
  let isOver = false;
  const turn = () => {
    count += 1;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  const result = await call();
  isOver = true;
  return [result, count];
}

module.exports = { turns };
