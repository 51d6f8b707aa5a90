/**
 * A self-contained part of a session file (A40): its thread, cut where nothing depends on earlier lines, plus
 * appended lines. The reader requests parts from the file's end backwards.
 */

import { closeSync, existsSync, fstatSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { openSeq } from '@tugdeck/protocol/conversation/state';
import { parseJson } from '@tugdeck/protocol/parse-json';
import { recordOf, textAt } from '../kit/fields.ts';
import { type HistoryPart, PartFold, type PartOptions, type PlacedLine, timeOf } from '../kit/history.ts';
import { HistoryReader } from './history-reader.ts';
import {
  answersOne,
  type DiskLine,
  isPartOf,
  noteMessage,
  parentOf,
  parseLine,
  resultsOf,
  threadOf,
} from './history-thread.ts';

/** Read limits for one subagent file, and for all subagents of a part. */
const SUBAGENT_READ = 512 * 1024;
const ALL_SUBAGENTS = 8 * 1024 * 1024;

export function readPart(lines: readonly PlacedLine[], options: PartOptions): HistoryPart | undefined {
  const places = new Map<DiskLine, number>();
  for (const { text, at } of lines) {
    const line = parseLine(text);
    if (line) places.set(line, at);
  }
  const all = [...places.keys()];
  const { until, isWhole } = options;
  const isThere = until === undefined || all.some(({ uuid }) => uuid === until);
  if (!isThere && !isWhole) return undefined;
  const { thread } = isThere ? threadOf(all, until) : { thread: [] };
  const from = isWhole ? 0 : cutOf(thread);
  if (from === undefined) return undefined;
  const used = thread.slice(from);
  const start = used[0] ? (places.get(used[0]) ?? 0) : 0;
  return new Part(used, all, isWhole ? 0 : start, options);
}

/** The first line that depends on nothing before it: a user message, or the model's next message after results. */
function cutOf(thread: readonly DiskLine[]): number | undefined {
  let message: string | undefined;
  for (const [index, line] of thread.entries()) {
    if (isPrompt(line)) return index;
    if (line.type !== 'assistant') continue;
    const id = textAt(line.message, 'id');
    if (message !== undefined && id !== message) return index;
    message = id;
  }
  return undefined;
}

function isPrompt(line: DiskLine): boolean {
  return line.type === 'user' && line.isMeta !== true && resultsOf(line).length === 0;
}

class Part implements HistoryPart {
  readonly start: number;
  readonly before: string | undefined;
  readonly #fold: PartFold;
  readonly #reader: HistoryReader;
  readonly #messages = new Set<string>();
  readonly #tools = new Set<string>();
  readonly #file: string;
  readonly #inline = new Map<string, DiskLine[]>();
  #subagentBytes = 0;
  #leaf: DiskLine | undefined;
  #isIdle = true;

  constructor(thread: readonly DiskLine[], all: readonly DiskLine[], start: number, options: PartOptions) {
    this.#file = options.file;
    this.start = start;
    this.before = options.isWhole || !thread[0] ? undefined : parentOf(thread[0]);
    this.#fold = new PartFold(options);
    this.#reader = new HistoryReader(this.#fold, (agent) => this.#sidechain(agent));
    for (const line of all) this.#keepSidechain(line);
    for (const line of thread) this.#take(line);
    for (const line of all) this.#title(line);
    // Initial changes are not reported.
    this.#fold.fresh();
  }

  get conversation() {
    return this.#fold.state;
  }

  get isIdle(): boolean {
    return this.#isIdle;
  }

  take(text: string) {
    const line = parseLine(text);
    if (!line) return [];
    this.#title(line);
    if (line.isSidechain === true) this.#keepSidechain(line);
    else if (typeof line.uuid === 'string') {
      if (!this.#continues(line)) return undefined;
      this.#take(line);
    }
    return this.#fold.fresh();
  }

  settle() {
    this.#unfinishedSubagents();
    this.#reader.finish();
    return this.#fold.fresh();
  }

  #continues(line: DiskLine): boolean {
    const parent = parentOf(line);
    return parent === this.#leaf?.uuid || isPartOf(line, this.#messages) || answersOne(line, this.#tools);
  }

  #take(line: DiskLine): void {
    this.#leaf = line;
    noteMessage(line, this.#messages, this.#tools);
    if (line.type === 'assistant') this.#isIdle = recordOf(line.message).stop_reason !== 'tool_use';
    else if (line.type === 'user') this.#isIdle = false;
    this.#reader.take(line);
  }

  #title(line: DiskLine): void {
    if (line.type !== 'custom-title') return;
    this.#fold.at = timeOf(line.timestamp) ?? this.#fold.at;
    this.#reader.title(textAt(line, 'customTitle') ?? textAt(line, 'title'));
  }

  #keepSidechain(line: DiskLine): void {
    const agent = textAt(line, 'agentId');
    if (line.isSidechain !== true || agent === undefined) return;
    const known = this.#inline.get(agent);
    if (known) known.push(line);
    else this.#inline.set(agent, [line]);
  }

  /** Subagents whose tool has no result: a small file names the tool. Subagents can be nested. */
  #unfinishedSubagents(): void {
    const waiting = new Map(subagentTools(this.#folder));
    for (let isMore = true; isMore; ) {
      isMore = false;
      for (const [agent, tool] of waiting) {
        if (openSeq(this.#fold.state, tool) === undefined) continue;
        waiting.delete(agent);
        isMore = true;
        for (const line of this.#sidechain(agent)) this.#reader.take(line, tool);
      }
    }
  }

  get #folder(): string {
    return join(dirname(this.#file), basename(this.#file, '.jsonl'), 'subagents');
  }

  #sidechain(agent: string): readonly DiskLine[] {
    const inline = this.#inline.get(agent);
    if (inline) return inline;
    const path = join(this.#folder, `agent-${agent}.jsonl`);
    if (!/^[\w-]+$/.test(agent) || this.#subagentBytes > ALL_SUBAGENTS || !existsSync(path)) return [];
    const text = tailOf(path, SUBAGENT_READ);
    this.#subagentBytes += text.length;
    return text
      .split('\n')
      .map(parseLine)
      .filter((line) => line !== undefined);
  }
}

/** Each subagent with the tool use that started it. */
function subagentTools(folder: string): (readonly [agent: string, tool: string])[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder).flatMap((name) => {
    const agent = /^agent-([\w-]+)\.meta\.json$/.exec(name)?.[1];
    const tool = agent === undefined ? undefined : textAt(readJson(join(folder, name)), 'toolUseId');
    return agent === undefined || tool === undefined ? [] : [[agent, tool] as const];
  });
}

function readJson(path: string): unknown {
  try {
    return parseJson(readFileSync(path, 'utf8'));
  } catch (error) {
    // It may be half written or just removed.
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** The end of a file, from a line start. */
function tailOf(path: string, limit: number): string {
  const descriptor = openSync(path, 'r');
  try {
    const { size } = fstatSync(descriptor);
    const bytes = Buffer.allocUnsafe(Math.min(size, limit));
    const got = readSync(descriptor, bytes, 0, bytes.length, size - bytes.length);
    const from = size > bytes.length ? bytes.indexOf(10) + 1 : 0;
    return bytes.toString('utf8', from, got);
  } finally {
    closeSync(descriptor);
  }
}
