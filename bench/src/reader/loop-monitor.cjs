// Loaded into the server by NODE_OPTIONS: notes every time that its event loop was held, as the time, the processor
// time that its thread used meanwhile and the time passed. Only the former is the server's own; a busy machine adds to the latter.
const { appendFileSync, closeSync, existsSync, openSync, readSync } = require('node:fs');
const file = process.env.TUGDECK_LOOP_FILE;
// Written when the server is ready: its start is not a hold.
const ready = process.env.TUGDECK_LOOP_AFTER;
const WORTH_NOTING_MS = 3;
if (file && process.argv.some((word) => word.endsWith('start.mjs'))) {
  const processorTime = threadClock();
  let at = performance.now();
  let used = processorTime();
  let isReady = false;
  const timer = setInterval(() => {
    const passed = performance.now() - at;
    const held = Math.min(passed, processorTime() - used);
    if (isReady && passed > WORTH_NOTING_MS) {
      appendFileSync(file, `${Date.now()} ${held.toFixed(1)} ${passed.toFixed(1)}\n`);
    }
    isReady ||= existsSync(ready);
    at = performance.now();
    used = processorTime();
  }, 1);
  timer.unref();
}

/** Milliseconds of the main thread alone, where the system tells; its collector and its compiler have threads of their own. */
function threadClock() {
  const whole = () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  };
  try {
    const descriptor = openSync(`/proc/self/task/${process.pid}/schedstat`, 'r');
    const bytes = Buffer.alloc(64);
    const read = () =>
      Number(bytes.toString('latin1', 0, readSync(descriptor, bytes, 0, 64, 0)).split(' ', 1)[0]) / 1e6;
    if (Number.isFinite(read())) return read;
    closeSync(descriptor);
    return whole;
  } catch {
    return whole;
  }
}
