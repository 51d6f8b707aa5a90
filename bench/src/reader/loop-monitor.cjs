// Loaded into the server by NODE_OPTIONS: notes every time that its event loop was held, as the time, the hold without
// the wait for a processor, and the hold by the clock, which a busy machine adds to.
const { appendFileSync, existsSync } = require('node:fs');
const { isMainThread } = require('node:worker_threads');
const loopClock = require('../kit/loop-clock.cjs');

const file = process.env.TUGDECK_LOOP_FILE;
// Written when the server is ready: its start is not a hold.
const ready = process.env.TUGDECK_LOOP_AFTER;
const WORTH_NOTING_MS = 3;
if (file && isMainThread && process.argv.some((word) => word.endsWith('start.mjs'))) {
  const look = loopClock();
  let isReady = false;
  const timer = setInterval(() => {
    const { held, passed } = look();
    if (isReady && passed > WORTH_NOTING_MS) {
      appendFileSync(file, `${Date.now()} ${held.toFixed(1)} ${passed.toFixed(1)}\n`);
    }
    isReady ||= existsSync(ready);
    look();
  }, 1);
  timer.unref();
}
