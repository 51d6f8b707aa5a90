/** Fuzz targets beside the conversation: line splitting, terminal frames, the ACP peer, keys, the transcript index. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readPermission, readUpdate } from '@tugdeck/drivers/acp/wire';
import { scanLines as scanClaude } from '@tugdeck/drivers/claude/history-scan';
import { scanLines as scanCodex } from '@tugdeck/drivers/codex/history-scan';
import { Peer } from '@tugdeck/drivers/kit/peer';
import { readMessage } from '@tugdeck/drivers/kit/rpc';
import { createLineReader } from '@tugdeck/local/lines';
import { readerMessageSchema, readerRequestSchema } from '@tugdeck/local/reader-link';
import { terminals } from '@tugdeck/protocol/areas/terminals';
import { searchSchema } from '@tugdeck/protocol/search/search';
import { createLinkFrameReader, LINK_FRAME, linkFrameHead } from '@tugdeck/protocol/terminal/link-frames';
import { terminalPushSchema } from '@tugdeck/protocol/terminal/terminal-feed';
import { terminalMessageSchema, terminalRequestSchema } from '@tugdeck/protocol/terminal/terminal-link';
import { keyChoicesSchema } from '@tugdeck/protocol/wire/key-choices';
import { findIn, readQuery } from '@tugdeck/reader/snippet';
import type { Target } from './targets.ts';

const SIZE = { cols: 80, rows: 24 };
const LAUNCH = { file: '/bin/sh', args: ['-l'], directory: '/p', environment: { A: '1' } };
const TERMINAL = '11111111-1111-4111-8111-111111111111';
const TERMINAL_LINES = [
  { type: 'init', version: 1, secret: 's' },
  {
    type: 'create',
    re: 1,
    terminal: TERMINAL,
    project: 'p',
    runs: { type: 'shell' },
    size: SIZE,
    launch: LAUNCH,
  },
  { type: 'attach', re: 2, terminal: TERMINAL, history: true },
  { type: 'rename', re: 3, terminal: TERMINAL, name: 'n' },
  { type: 'resize', size: SIZE },
  { type: 'ack', bytes: 65_536 },
  { type: 'screen', size: SIZE, history: false, bytes: 10 },
  { type: 'input-full' },
  { type: 'terminals', terminals: [] },
];
const KEYS = [{ 'palette.open': 'Mod+K', 'search.project': null, 'pane.close': 'Mod+Shift+W' }];
const READER = [
  { type: 'search', re: 'a', search: { query: 'two words', kind: 'prompt', limit: 10 } },
  { type: 'state', state: { files: 1, read: 1, entries: 3 } },
  { query: '"a phrase" and words*', directory: '/p', agent: 'demo', after: 1, before: 2 },
];
const RPC = [
  { jsonrpc: '2.0', id: 1, result: { stopReason: 'end_turn' } },
  { jsonrpc: '2.0', id: 2, error: { code: -32_000, message: 'no' } },
  { jsonrpc: '2.0', id: 'a', method: 'fs/read_text_file', params: { sessionId: 's', path: '/p/x' } },
  {
    jsonrpc: '2.0',
    id: 3,
    method: 'session/request_permission',
    params: {
      sessionId: 's',
      toolCall: { toolCallId: 't', title: 'x' },
      options: [{ optionId: 'y', name: 'Yes', kind: 'allow_once' }],
    },
  },
  {
    jsonrpc: '2.0',
    method: 'session/update',
    params: {
      sessionId: 's',
      update: { sessionUpdate: 'tool_call', toolCallId: 't', title: 'x', kind: 'edit' },
    },
  },
];

const json = (values: readonly unknown[]) => values.map((value) => JSON.stringify(value));

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function recordings(folder: string): string[][] {
  const directory = fileURLToPath(new URL(`../../packages/drivers/src/${folder}/fixtures`, import.meta.url));
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.jsonl') && !name.startsWith('app-server'))
    .map((name) => readFileSync(join(directory, name), 'utf8').split('\n').filter(Boolean));
}

/** Splits at positions that depend only on the bytes, so that a finding repeats. */
function* pieces(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; ) {
    const length = 1 + ((bytes[at] ?? 0) % 61);
    yield bytes.subarray(at, at + length);
    at += length;
  }
}

export const LINE_TARGETS: readonly Target[] = [
  {
    name: 'lines in pieces',
    seeds: () => [json(RPC), json(TERMINAL_LINES)],
    run(lines) {
      const found: string[] = [];
      const reader = createLineReader(4_000, { line: (text) => found.push(text), overlong: () => undefined });
      // As Latin-1 bytes, so that invalid UTF-8 occurs.
      for (const piece of pieces(Buffer.from(`${lines.join('\n')}\n`, 'latin1'))) reader.push(piece);
      reader.end();
      for (const text of found) parsed(text);
    },
  },
  {
    name: 'terminal frames',
    seeds: () => [json(TERMINAL_LINES)],
    run(lines) {
      const take = createLinkFrameReader({
        json(payload) {
          const value = parsed(new TextDecoder().decode(payload));
          terminalRequestSchema.safeParse(value);
          terminalMessageSchema.safeParse(value);
          for (const { input } of Object.values(terminals.calls)) input.safeParse(value);
          terminalPushSchema.safeParse(value);
        },
        bytes: () => undefined,
        broken: () => undefined,
      });
      for (const line of lines) {
        const payload = new TextEncoder().encode(line);
        take(linkFrameHead(LINK_FRAME.json, payload.length));
        for (const piece of pieces(payload)) take(piece);
      }
      // The same bytes as raw frames.
      const torn = createLinkFrameReader({
        json: () => undefined,
        bytes: () => undefined,
        broken: () => undefined,
      });
      for (const line of lines) for (const piece of pieces(new TextEncoder().encode(line))) torn(piece);
    },
  },
  {
    name: 'ACP peer',
    seeds: () => [json(RPC), ...recordings('acp')],
    run(lines) {
      const peer = new Peer({ write: () => undefined, request: (id) => peer.respond(id, { result: {} }) });
      peer.request('session/prompt', {}, () => undefined);
      peer.request('session/new', {}, () => undefined);
      for (const line of lines) {
        const value = parsed(line);
        const message = readMessage(value);
        if ('params' in message) {
          readPermission(message.params);
          readUpdate((message.params as { update?: unknown } | null | undefined)?.update);
        }
        peer.take(value);
      }
      peer.close();
    },
  },
  {
    name: 'keys',
    seeds: () => [json(KEYS)],
    run(lines) {
      for (const line of lines) keyChoicesSchema.safeParse(parsed(line));
    },
  },
  {
    name: 'reader lines',
    seeds: () => [json(READER)],
    run(lines) {
      for (const line of lines) {
        const value = parsed(line);
        readerRequestSchema.safeParse(value);
        readerMessageSchema.safeParse(value);
        searchSchema.safeParse(value);
        findIn(line, readQuery(line.slice(0, 200)));
      }
    },
  },
  {
    name: 'transcript index',
    seeds: () => [...recordings('claude'), ...recordings('codex')],
    run(lines) {
      const query = readQuery('the "first file"');
      for (const begin of [scanClaude, scanCodex]) {
        let scan = begin();
        for (const [at, line] of lines.entries()) {
          for (const { text, entry } of scan.take(line)) {
            if (typeof text !== 'string' || typeof entry !== 'string') throw new Error('not words');
            findIn(text, query);
          }
          // Resumed later from the stored state.
          if (at % 20 === 19) scan = begin(JSON.parse(JSON.stringify(scan.memory ?? null)) as never);
        }
        JSON.stringify(scan.facts);
      }
    },
  },
];
