/** `node scripts/run-ts.mjs bench/src/streaming/main.ts [rounds] [seconds]`: this benchmark alone. */
import { run } from './run.ts';

const [rounds = '5', seconds = '6'] = process.argv.slice(2);
const result = await run({ rounds: Number(rounds), seconds: Number(seconds), log: console.log });
for (const [name, { median, min, max, droppedPercent }] of Object.entries(result.series)) {
  const range = `${min.toFixed(2)}–${max.toFixed(2)}`;
  console.log(
    `${name.padEnd(12)} median ${median.toFixed(2)} ms/frame (${range}), ${droppedPercent.toFixed(1)} % dropped`,
  );
}
for (const { name, ratio, goal, met } of result.judgements) {
  console.log(`${met ? 'met   ' : 'missed'} ${name}: ${ratio.toFixed(2)} (goal ${goal})`);
}
console.log(
  `load ${result.load.map((value) => value.toFixed(1)).join(' ')}${result.judged ? '' : ' (not judged)'}`,
);
