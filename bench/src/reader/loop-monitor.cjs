// Loaded into the server by NODE_OPTIONS: how long its event loop was held, by the processor time used meanwhile, so
// that a busy machine does not count. Writes the longest so far to the file that the environment names.
const { existsSync, writeFileSync } = require('node:fs');
const file = process.env.TUGDECK_LOOP_FILE;
// Written when the server is ready: its start is not a hold.
const ready = process.env.TUGDECK_LOOP_AFTER;
if (file && process.argv.some((word) => word.endsWith('start.mjs'))) {
  let at = performance.now();
  let used = process.cpuUsage();
  let longest = 0;
  let isReady = false;
  const timer = setInterval(() => {
    const spent = process.cpuUsage(used);
    const held = Math.min(performance.now() - at, (spent.user + spent.system) / 1000);
    if (isReady && held > longest) {
      longest = held;
      writeFileSync(file, String(longest));
    }
    isReady ||= existsSync(ready);
    at = performance.now();
    used = process.cpuUsage();
  }, 1);
  timer.unref();
}
