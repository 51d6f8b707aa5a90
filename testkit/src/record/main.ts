// `npm run record [-- NAME…]`: makes the recordings of recorded-flows.ts anew, or those named, into the fixtures of the
// driver, with the agent that testkit/agents pins. A look at `git diff` says what a new version does otherwise.
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
