// `npm run record [-- NAME…]`: creates the recordings of recorded-flows.ts, or the named ones, as fixtures of the
// driver, with the agent that testkit/agents pins. `git diff` then shows what a new version changed.
import { writeFileSync } from 'node:fs';
import { RECORDED_FLOWS } from './recorded-flows.ts';
import { recordOne } from './recorder.ts';

const FIXTURES = new URL('../../../packages/drivers/src/claude/fixtures/', import.meta.url);

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !RECORDED_FLOWS.some((flow) => flow.name === name));
if (unknown.length > 0) {
  console.error(
    `No such flow: ${unknown.join(', ')}. There are: ${RECORDED_FLOWS.map(({ name }) => name).join(', ')}`,
  );
  process.exit(2);
}
for (const flow of RECORDED_FLOWS) {
  if (wanted.length > 0 && !wanted.includes(flow.name)) continue;
  try {
    const text = await recordOne(flow);
    writeFileSync(new URL(`${flow.name}.jsonl`, FIXTURES), text);
    console.log(`${flow.name}  ${text.split('\n').length - 1} lines`);
  } catch (error) {
    process.exitCode = 1;
    console.error(`${flow.name}  ${error instanceof Error ? error.message : String(error)}`);
  }
}
