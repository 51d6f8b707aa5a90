// Loaded into the server by NODE_OPTIONS: notes every time that its event loop was held, as the time, the processor
// time used meanwhile and the time passed. Only the former is the server's own; a busy machine adds to the latter.
const { appendFileSync, existsSync } = require('node:fs');
const file = process.env.TUGDECK_LOOP_FILE;
// Written when the server is ready: its start is not a hold.
const ready = process.env.TUGDECK_LOOP_AFTER;
const WORTH_NOTING_MS = 3;
if (file && process.argv.some((word) => word.endsWith('start.mjs'))) {
  let at = performance.now();
  let used = process.cpuUsage();
  let isReady = false;
  const timer = setInterval(() => {
    const spent = process.cpuUsage(used);
    const passed = performance.now() - at;
    const held = Math.min(passed, (spent.user + spent.system) / 1000);
    if (isReady && passed > WORTH_NOTING_MS) {
      appendFileSync(file, `${Date.now()} ${held.toFixed(1)} ${passed.toFixed(1)}\n`);
    }
    isReady ||= existsSync(ready);
    at = performance.now();
    used = process.cpuUsage();
  }, 1);
  timer.unref();
}
