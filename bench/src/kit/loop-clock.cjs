// How long the event loop was blocked since the last call, in milliseconds: in wall-clock time, and without time
// caused by others, which is the time its thread waited for a core and the time stolen by the hypervisor.
// Computation and the loop's own waiting (for a disk, a fork) both count. A sleeping loop does not count, however
// late the system wakes it.
const { openSync, readSync } = require('node:fs');

/** Stolen time is reported in hundredths of a second, so shorter blocks are not checked. */
const LOOK_MS = 8;

/** @param {string} file @param {(text: string) => number} read */
function systemClock(file, read) {
  try {
    const descriptor = openSync(file, 'r');
    const bytes = Buffer.alloc(256);
    const look = () => read(bytes.toString('latin1', 0, readSync(descriptor, bytes, 0, 256, 0)));
    return Number.isFinite(look()) ? look : () => 0;
  } catch {
    return () => 0;
  }
}

module.exports = function loopClock() {
  const waited = systemClock(
    `/proc/self/task/${process.pid}/schedstat`,
    (text) => Number(text.split(' ')[1]) / 1e6,
  );
  const taken = systemClock('/proc/stat', (text) => Number(text.split('\n', 1)[0]?.split(/\s+/)[8]) * 10);
  let before = { busy: performance.eventLoopUtilization().active, waited: waited(), taken: taken() };
  let looked = performance.now();
  return () => {
    const busy = performance.eventLoopUtilization().active;
    const passed = busy - before.busy;
    const isLate = passed > LOOK_MS || performance.now() - looked > LOOK_MS;
    if (isLate) looked = performance.now();
    const now = { busy, waited: waited(), taken: isLate ? taken() : before.taken };
    const held = Math.max(0, passed - (now.waited - before.waited) - (now.taken - before.taken));
    before = now;
    return { held, passed };
  };
};
