// Loaded into the server by NODE_OPTIONS: records each block of its event loop with its time, its length without
// waiting for a core, and its length in wall-clock time, which a busy machine extends.
const { appendFileSync, existsSync } = require('node:fs');
const { isMainThread } = require('node:worker_threads');
const loopClock = require('../kit/loop-clock.cjs');

const file = process.env.TUGDECK_LOOP_FILE;
// Starts recording when the server is ready, because its start does not count.
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
