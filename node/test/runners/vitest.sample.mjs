import { createRequire } from 'node:module';
import { expect, test, vi } from 'vitest';

createRequire(import.meta.url)('./program.js')({
  test,
  expect,
  fake: () => vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask', 'Date'] }),
  real: () => vi.useRealTimers(),
});
