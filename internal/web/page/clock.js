// Two clocks with an increment. Time is the browser's; a clock that runs while
// the page is closed goes on running.

import { number } from "./i18n.js";

export class Clock {
  /** Minutes a side and seconds a move; or what toJSON kept. @param {KeptClock} kept */
  constructor({ minutes, increment, left, running, since }) {
    this.minutes = minutes;
    this.increment = increment;
    this.left = left || { B: minutes * 60000, W: minutes * 60000 };
    /** @type {Side | ""} */ this.running = running || "";
    this.since = since || 0;
  }

  /** Milliseconds that a side has at a time. @param {Side} side */
  at(side, now = Date.now()) {
    return Math.max(0, this.left[side] - (this.running === side ? now - this.since : 0));
  }

  /** Stops what runs, and starts a side's clock; "" for none. A side that has `moved` gets its increment. */
  start(/** @type {Side | ""} */ side, /** @type {boolean} */ moved, now = Date.now()) {
    if (this.running) {
      this.left[this.running] = this.at(this.running, now);
      if (moved) this.left[this.running] += this.increment * 1000;
    }
    this.running = side;
    this.since = now;
  }

  /** The side that has no time left, or "". */
  fallen(now = Date.now()) {
    return this.running && this.at(this.running, now) <= 0 ? this.running : "";
  }

  toJSON() {
    const { minutes, increment, left, running, since } = this;
    return { minutes, increment, left, running, since };
  }
}

/** Milliseconds as 4:59, or 9.3 in the last seconds. @param {number} ms */
export function clockText(ms) {
  if (ms < 10000) return number(Math.ceil(ms / 100) / 10, { minimumFractionDigits: 1, maximumFractionDigits: 1 });
  const s = Math.ceil(ms / 1000);
  return `${Math.floor(s / 60)}:${String(s % 60).padStart(2, "0")}`;
}
