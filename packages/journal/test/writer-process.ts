/** Writes to a journal until it is killed, and prints each version after writing it. */
import { writeSync } from 'node:fs';
import { dataDirectory } from '@tugdeck/local/data-directory';
import type { Change } from '@tugdeck/protocol/conversation/changes';
import { fold, foldAppend } from '@tugdeck/protocol/conversation/fold';
import { openJournal } from '../src/writer.ts';

const [, , root = ''] = process.argv;
const opened = openJournal(dataDirectory(root).session('s1'), { now: Date.now, segmentBytes: 20_000 });
let { state } = opened;
for (;;) {
  const v = state.v + 1;
  const entry = {
    id: `e${v}`,
    kind: 'text',
    status: v % 7 === 0 ? 'partial' : 'complete',
    text: '',
  } as const;
  const change: Change = { kind: 'entry.opened', entry, v, at: v };
  state = fold(state, change);
  opened.writer.append([change], state);
  if (v % 7 === 0) {
    const append = {
      entry: entry.id,
      field: 'text',
      at: 0,
      text: `streamed ${'x'.repeat(v % 300)}`,
    } as const;
    state = foldAppend(state, append);
    opened.writer.checkpoint([append]);
    const closed: Change = { kind: 'entry.closed', entry: entry.id, status: 'complete', v: v + 1, at: v };
    state = fold(state, closed);
    opened.writer.append([closed], state);
  }
  writeSync(1, `${state.v}\n`);
}
