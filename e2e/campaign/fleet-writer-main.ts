/**
 * Writes the journals of a machine as its session hosts do, for kills: `DATA SESSION…`. Lines on stdin: `pause` and `resume`,
 * each answered; the answer to `pause` has the number of lines and the longest time that one took.
 */
import { createInterface } from 'node:readline';
import { storeText } from '@tugdeck/journal/blobs';
import { openJournal } from '@tugdeck/journal/writer';
import { dataDirectory } from '@tugdeck/local/data-directory';
import type { Change } from '@tugdeck/protocol/conversation/changes';
import { foldAll } from '@tugdeck/protocol/conversation/fold';

const [root = '', ...sessions] = process.argv.slice(2);
const SEGMENT = 30_000;
const EVERY_MS = 5;

const journals = sessions.map((session) => {
  const directory = dataDirectory(root).session(session);
  const { state, writer } = openJournal(directory, { now: Date.now, segmentBytes: SEGMENT });
  return { directory, writer, state };
});
let lines = 0;
let longest = 0;
let isPaused = false;

function writeLine(): void {
  const journal = journals[lines % journals.length];
  if (!journal || isPaused) return;
  lines++;
  const { directory, state, writer } = journal;
  const text = `line ${lines} `.repeat(1 + (lines % 40));
  const entry = {
    id: crypto.randomUUID(),
    kind: 'notice',
    status: 'complete',
    text,
    notice: 'info',
    level: 'info',
  };
  const blob = lines % 200 === 0 ? { blob: storeText(directory, `${text} `.repeat(2_000)) } : {};
  const change = { kind: 'entry.opened', entry: { ...entry, ...blob }, v: state.v + 1, at: Date.now() };
  const changes = [change as unknown as Change];
  const after = foldAll(state, changes);
  const since = performance.now();
  writer.append(changes, after);
  longest = Math.max(longest, performance.now() - since);
  journal.state = after;
}

setInterval(writeLine, EVERY_MS);
createInterface({ input: process.stdin }).on('line', (line) => {
  isPaused = line === 'pause';
  console.log(isPaused ? `paused ${lines} ${longest.toFixed(1)}` : 'resumed');
  if (isPaused) longest = 0;
});
console.log('ready');
