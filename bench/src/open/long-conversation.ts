/**
 * Writes journals of any length with the product's own writer: prompts, prose, and tool calls with output, because
 * real transcripts are mostly tools. The last entry has a known id.
 */
import { openJournal } from '@tugdeck/journal/writer';
import type { SessionDirectory } from '@tugdeck/local/data-directory';
import type { Change, ChangeBody } from '@tugdeck/protocol/conversation/changes';
import type { NewEntry } from '@tugdeck/protocol/conversation/entries';
import { foldAll } from '@tugdeck/protocol/conversation/fold';
import { type Conversation, EMPTY } from '@tugdeck/protocol/conversation/state';
import { trim } from '@tugdeck/protocol/conversation/window';

export const LAST = 'the-last-entry';
const KEPT = 256;
const TRIM_AT = 512;
const BEGAN = Date.UTC(2026, 0, 1);
const PROSE = 'The parser reads a line, checks it, and hands it on; nothing else may know its shape. '.repeat(
  5,
);
const OUTPUT = Array.from({ length: 12 }, (_, line) => `src/part-${line}.ts: ok, 12 tests, 0 failures`).join(
  '\n',
);

export interface Shape {
  readonly entries: number;
  readonly perTurn: number;
}

export function writeConversation(directory: SessionDirectory, { entries, perTurn }: Shape): void {
  const { writer } = openJournal(directory, { now: Date.now });
  let state: Conversation = EMPTY;
  const commit = (bodies: readonly ChangeBody[]) => {
    const changes = bodies.map((body, index) => {
      const v = state.v + 1 + index;
      return { ...body, v, at: BEGAN + v * 1_000 } as Change;
    });
    const after = foldAll(state, changes);
    writer.append(changes, after);
    state = after.nextSeq - after.from > TRIM_AT ? trim(after, KEPT) : after;
  };
  for (let done = 0; done < entries; ) {
    const size = Math.min(perTurn, entries - done);
    const turn = `turn-${done}`;
    commit(turnStart(turn, done));
    for (let index = 1; index < size; index++) {
      const at = done + index;
      commit([{ kind: 'entry.opened', entry: entryOf(at, at === entries - 1) }]);
    }
    commit([{ kind: 'turn.ended', turn, endedBy: 'completed' }]);
    done += size;
  }
  writer.close();
}

function turnStart(turn: string, at: number): ChangeBody[] {
  const id = `prompt-${at}`;
  return [
    { kind: 'prompt.accepted', prompt: { id, text: `Look at part ${at} and mend it.` } },
    { kind: 'prompt.progressed', prompt: id, delivery: 'delivered' },
    { kind: 'turn.started', turn, origin: 'user', prompts: [id] },
  ];
}

function entryOf(at: number, isLast: boolean): NewEntry {
  if (isLast || at % 3 === 1) {
    return {
      id: isLast ? LAST : `text-${at}`,
      kind: 'text',
      status: 'complete',
      text: `## Part ${at}\n\n${PROSE}`,
    };
  }
  return {
    id: `tool-${at}`,
    kind: 'tool',
    status: 'complete',
    name: 'Bash',
    title: `npm test part-${at}`,
    toolKind: 'shell',
    state: 'done',
    fields: [{ label: 'Command', value: `npm test part-${at}`, form: 'code' }],
    result: { type: 'terminal', stdout: OUTPUT, stderr: '', exitCode: 0 },
  };
}
