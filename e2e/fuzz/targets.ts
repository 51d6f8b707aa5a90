/**
 * Every parser of outside input, with valid seeds. A target takes lines; it may refuse with a coded error, and must never
 * throw anything else, hang, or change a prototype.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readHistory } from '@tugdeck/drivers/claude/history';
import { readPart as readClaudePart } from '@tugdeck/drivers/claude/history-part';
import { scanLines as scanClaude } from '@tugdeck/drivers/claude/history-scan';
import { parseLine as parseClaudeLine } from '@tugdeck/drivers/claude/history-thread';
import { readPart as readCodexPart } from '@tugdeck/drivers/codex/history-part';
import { scanLines as scanCodex } from '@tugdeck/drivers/codex/history-scan';
import type { HistoryPart, PartOptions, PlacedLine } from '@tugdeck/drivers/kit/history';
import { replayFile } from '@tugdeck/drivers/known-drivers';
import { parseMessage } from '@tugdeck/gateway/transport/parse-message';
import type { SegmentFiles } from '@tugdeck/journal/files';
import { encodeAppends, encodeBatch, encodeHead } from '@tugdeck/journal/format';
import { foldSegment } from '@tugdeck/journal/segment';
import { runToEnd } from '@tugdeck/local/cooperative';
import { parseConfiguration } from '@tugdeck/machine/configuration';
import type { Change, ChangeBody } from '@tugdeck/protocol/conversation/changes';
import { fold } from '@tugdeck/protocol/conversation/fold';
import { type Conversation, EMPTY } from '@tugdeck/protocol/conversation/state';
import { takeSnapshot } from '@tugdeck/protocol/conversation/window';
import { deckMessageSchema, deckRequestSchema } from '@tugdeck/protocol/wire/deck';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import { feedAskSchema, feedMessageSchema } from '@tugdeck/protocol/wire/feeds';
import { decodeFrame, encodeFrame, FEED } from '@tugdeck/protocol/wire/frames';
import { hostMessageSchema, hostRequestSchema } from '@tugdeck/protocol/wire/host-link';
import { layoutSchema } from '@tugdeck/web/shell/dock/layout-schema';
import { migrateLayout } from '@tugdeck/web/shell/dock/migrate-layout';

import { LINE_TARGETS } from './line-targets.ts';

export interface Target {
  readonly name: string;
  /** Valid input, as files of lines. */
  readonly seeds: () => readonly (readonly string[])[];
  readonly run: (lines: readonly string[]) => void;
}

const drivers = fileURLToPath(new URL('../../packages/drivers/src/', import.meta.url));

function recordings(folder: string, fits: (name: string) => boolean = () => true): string[][] {
  const directory = join(drivers, folder, 'fixtures');
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.jsonl') && fits(name))
    .map((name) => readFileSync(join(directory, name), 'utf8').split('\n').filter(Boolean));
}

const CHANGES = [
  { v: 1, at: 1, kind: 'prompt.accepted', prompt: { id: 'u', text: 'hello' } },
  { v: 2, at: 2, kind: 'prompt.progressed', prompt: 'u', delivery: 'delivered' },
  { v: 3, at: 3, kind: 'turn.started', turn: 't', origin: 'user', prompts: ['u'] },
  { v: 4, at: 4, kind: 'entry.opened', entry: { kind: 'text', id: 'a', text: '', status: 'partial' } },
  { v: 5, at: 5, kind: 'entry.patched', entry: 'a', patch: { text: 'An' } },
  { v: 6, at: 6, kind: 'entry.closed', entry: 'a', status: 'complete', patch: { text: 'An answer.' } },
  { v: 7, at: 7, kind: 'todos.replaced', todos: [{ id: '1', text: 'x', state: 'active' }] },
  { v: 8, at: 8, kind: 'turn.ended', turn: 't', endedBy: 'completed' },
] satisfies readonly Change[];

const HOST_LINES = [
  { type: 'changes', changes: CHANGES },
  { type: 'live', appends: [{ entry: 'a', field: 'text', at: 0, text: 'An ' }] },
  { type: 'receipt', command: 'c', v: 3 },
  { type: 'behind', v: 4 },
  { type: 'error', code: 'INVALID_MESSAGE', message: 'm' },
  { type: 'follow', v: 3 },
  { type: 'command', command: { kind: 'prompt.send', id: 'c', text: 'hello' } },
  { type: 'entries', before: 4, limit: 50 },
];

const PAGE_MESSAGES = [
  { type: 'hello', id: 'a', version: 1, build: 'b' },
  {
    type: 'session.create',
    id: 'a',
    session: '11111111-1111-4111-8111-111111111111',
    project: 'p',
    agent: 'demo',
  },
  { type: 'feed.open', id: 'a', channel: 3, feed: 'files', about: { project: 'p' } },
  { type: 'draft.save', id: 'a', session: 's', text: 'x' },
  { id: 'a', ask: { type: 'read', path: 'x' } },
  { re: 'a', value: {} },
];

const LAYOUT = {
  version: 2,
  cards: [{ id: 'c', kind: 'conversation', params: { session: 's' } }],
  root: { type: 'group', id: 'g', cards: ['c'], front: 'c' },
  floats: [],
  active: 'g',
};

const CONFIGURATION = {
  port: 7700,
  agent: 'mine',
  agents: { mine: { command: 'node', args: ['a'], env: { A: '1' }, protocol: 'acp' } },
  mcpServers: { one: { command: 'node', args: [] } },
  projects: { '/p': { builds: { test: 'npm test' } } },
  timings: { idleMs: 5 },
};

const json = (values: readonly unknown[]) => values.map((value) => JSON.stringify(value));

const OWN_TARGETS: readonly Target[] = [
  {
    name: 'frames',
    seeds: () => [json(PAGE_MESSAGES), json(HOST_LINES)],
    run(lines) {
      for (const line of lines) {
        const bytes = new TextEncoder().encode(line);
        const frame = decodeFrame(encodeFrame(FEED.deck, 0, bytes));
        decodeFrame(bytes);
        const value = parseMessage(frame?.payload ?? bytes, 64);
        deckRequestSchema.safeParse(value);
        feedAskSchema.safeParse(value);
        hostRequestSchema.safeParse(value);
      }
    },
  },
  {
    name: 'host lines',
    seeds: () => [json(HOST_LINES)],
    run(lines) {
      let state: Conversation = EMPTY;
      for (const line of lines) {
        const value = parsed(line);
        deckMessageSchema.safeParse(value);
        feedMessageSchema.safeParse(value);
        const message = hostMessageSchema.safeParse(value).data;
        if (message?.type === 'changes') for (const change of message.changes) state = fold(state, change);
      }
    },
  },
  {
    name: 'agent lines: stream-json',
    seeds: () => recordings('claude', isRecording),
    run: replayed('claude'),
  },
  { name: 'agent lines: ACP', seeds: () => recordings('acp'), run: replayed('codex-acp') },
  {
    name: 'agent lines: app-server',
    seeds: () => recordings('codex', isOfServer),
    run: replayed('codex'),
  },
  {
    name: 'journals',
    seeds: () => [
      [
        encodeHead(1, { moved: new Map(), snapshot: takeSnapshot(EMPTY, { tail: 10, receipts: true }) }),
        ...CHANGES.map((change) => encodeBatch({ changes: [change], nextSeq: 2, entries: [] })),
        encodeAppends([{ entry: 'a', field: 'text', at: 0, text: 'An ' }]),
      ].map((line) => line.trimEnd()),
    ],
    run(lines) {
      const bytes = Buffer.from(`${lines.join('\n')}\n`);
      const files: SegmentFiles = {
        list: () => [],
        size: () => bytes.length,
        read: (_file, from, length) => bytes.subarray(from, from + length),
      };
      refused(() => runToEnd(foldSegment(files, '/nowhere', 1, () => undefined)));
    },
  },
  {
    name: 'transcripts: stream-json',
    seeds: () => recordings('claude', (name) => !isRecording(name)),
    run(lines) {
      const scan = scanClaude();
      for (const line of lines) scan.take(line);
      const disk = lines.map(parseClaudeLine).filter((line) => line !== undefined);
      readHistory(disk);
      part(readClaudePart, lines);
    },
  },
  {
    name: 'transcripts: rollouts',
    seeds: () => recordings('codex', (name) => !isOfServer(name)),
    run(lines) {
      const scan = scanCodex();
      for (const line of lines) scan.take(line);
      part(readCodexPart, lines);
    },
  },
  {
    name: 'layouts',
    seeds: () => [json([LAYOUT])],
    run(lines) {
      for (const line of lines) layoutSchema.safeParse(migrateLayout(parsed(line)));
    },
  },
  {
    name: 'configuration',
    seeds: () => [json([CONFIGURATION])],
    run(lines) {
      for (const line of lines) refused(() => parseConfiguration('config.json', line));
    },
  },
];

function isOfServer(name: string): boolean {
  return name.startsWith('app-server');
}

function isRecording(name: string): boolean {
  return !name.includes('disk') && !name.includes('session-files');
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function replayed(agent: string): (lines: readonly string[]) => void {
  return (lines) => refused(() => replayFile(agent, lines));
}

type Reading = (lines: readonly PlacedLine[], options: PartOptions) => HistoryPart | undefined;

function part(read: Reading, lines: readonly string[]): void {
  let at = 0;
  const placed = lines.map((text) => {
    const line = { text, at };
    at += Buffer.byteLength(text) + 1;
    return line;
  });
  const options = {
    file: '/nowhere/s.jsonl',
    isWhole: true,
    seq: 0,
    facts: {},
    spill: (body: ChangeBody) => body,
  };
  const found = read(placed, options);
  for (const { text } of placed.slice(0, 3)) found?.take(text);
  found?.settle();
}

/** A coded refusal is the correct response to invalid input. */
function refused(run: () => void): void {
  try {
    run();
  } catch (error) {
    if (!(error instanceof CodedError)) throw error;
  }
}

export const TARGETS: readonly Target[] = [...OWN_TARGETS, ...LINE_TARGETS];
