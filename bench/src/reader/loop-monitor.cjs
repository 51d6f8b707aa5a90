// Loaded into the server by NODE_OPTIONS: how long its event loop was held, by the processor time used meanwhile, so
// that a busy machine does not count. Writes the longest so far to the file that the environment names.
const { writeFileSync } = require('node:fs');
const file = process.env.TUGDECK_LOOP_FILE;
if (file && process.argv.some((word) => word.endsWith('tugdeck.mjs'))) {
  let at = performance.now();
  let used = process.cpuUsage();
  let longest = 0;
  const timer = setInterval(() => {
    const spent = process.cpuUsage(used);
    const held = Math.min(performance.now() - at, (spent.user + spent.system) / 1000);
    // The first second is the start itself.
    if (held > longest && process.uptime() > 1.5) {
      longest = held;
      writeFileSync(file, String(longest));
    }
    at = performance.now();
    used = process.cpuUsage();
  }, 1);
  timer.unref();
}
