/**
 * After a server restart: bytes sent to the page compared with the changes it had missed, and the time to the last
 * word.
 */
import { type Benchmark, judge, machineLoad, Samples } from './kit/result.ts';
import { ResyncRig } from './resync.ts';

export const reconnect: Benchmark = {
  name: 'reconnect',
  async run({ rounds, log }) {
    const load = machineLoad();
    const samples = new Samples();
    const rig = await ResyncRig.open();
    try {
      for (let round = 0; round < rounds; round++) {
        const { ms, connectedMs, missedBytes, sentBytes } = await rig.run();
        samples.add('missed changes', 'bytes', missedBytes);
        samples.add('sent after the restart', 'bytes', sentBytes);
        samples.add('address printed → last word in the DOM', 'ms', ms);
        samples.add('connected → last word in the DOM', 'ms', connectedMs);
        log(`round ${round + 1}: ${sentBytes} of ${missedBytes} bytes, ${ms.toFixed(0)} ms`);
      }
    } finally {
      await rig.close();
    }
    return {
      name: 'reconnect',
      about: 'resync after a server restart in the middle of an answer',
      series: samples.series(),
      judgements: [
        judge(
          'bytes sent against the missed changes',
          samples.median('sent after the restart') / samples.median('missed changes'),
          1.1,
        ),
        judge(
          'time to the last word in seconds',
          samples.median('address printed → last word in the DOM') / 1_000,
          2,
        ),
      ],
      load,
      rounds,
    };
  },
};
