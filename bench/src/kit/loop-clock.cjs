// How long the event loop was held since the last look, in milliseconds: by the clock, and less what its thread waited for
// a processor, the only part that is everybody else's doing. What it computes and what it waits for itself (a disk, a
// fork) both count. A loop that sleeps holds nobody up, however late the system wakes it.
const { openSync, readSync } = require('node:fs');

function waitedClock() {
  try {
    const descriptor = openSync(`/proc/self/task/${process.pid}/schedstat`, 'r');
    const bytes = Buffer.alloc(64);
    const read = () =>
      Number(bytes.toString('latin1', 0, readSync(descriptor, bytes, 0, 64, 0)).split(' ')[1]) / 1e6;
    return Number.isFinite(read()) ? read : () => 0;
  } catch {
    return () => 0;
  }
}

module.exports = function loopClock() {
  const waited = waitedClock();
  let busy = performance.eventLoopUtilization().active;
  let before = waited();
  return () => {
    const now = performance.eventLoopUtilization().active;
    const waitedNow = waited();
    const passed = now - busy;
    const held = Math.max(0, passed - (waitedNow - before));
    busy = now;
    before = waitedNow;
    return { held, passed };
  };
};
