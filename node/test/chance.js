'use strict';
/** A seeded random number generator: the same seed gives the same test. */

class Chance {
  constructor(seed) {
    this.state = seed >>> 0;
  }

  /** 32 random bits (mulberry32). */
  next() {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let t = this.state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return (t ^ (t >>> 14)) >>> 0;
  }

  below(count) {
    return this.next() % count;
  }

  flag() {
    return this.below(2) === 1;
  }

  pick(list) {
    return list[this.below(list.length)];
  }

  /** An array of at most `most` elements made by `make`. */
  list(most, make) {
    return Array.from({ length: this.below(most + 1) }, make);
  }

  bytes(most) {
    return Buffer.from(this.list(most, () => this.below(256)));
  }
}

module.exports = { Chance };
