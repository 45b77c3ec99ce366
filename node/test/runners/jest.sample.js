'use strict';
/* global jest, test, expect */
require('./program.js')({ test, expect, fake: () => jest.useFakeTimers(), real: () => jest.useRealTimers() });
