// Creates thousands of session files in the agents' formats: tool-heavy, with the size distribution of a survey of
// real ones (p50 17 KB, p90 145 KB, p99 15 MB). Seeded, so that two runs create the same. For the reader's tests
// and benchmarks.
import { closeSync, mkdirSync, openSync, utimesSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';

export interface CorpusOptions {
  readonly home: string;
  /** The working directories of the sessions, used in turn. */
  readonly directories: readonly string[];
  readonly claude: number;
  readonly codex: number;
  /** Sizes of additional large files, in bytes. */
  readonly large?: readonly number[];
  readonly seed?: number;
}

export interface Corpus {
  readonly files: number;
  readonly bytes: number;
  /** The large files, in the requested order. */
  readonly large: readonly { readonly path: string; readonly session: string; readonly bytes: number }[];
}

/** A word that is in one session of a hundred, and one that is in all of them. */
export const RARE = 'zirconium';
export const COMMON = 'function';

const SIZES: readonly (readonly [share: number, bytes: number])[] = [
  [0, 3_000],
  [0.5, 17_000],
  [0.9, 145_000],
  [0.99, 15_000_000],
  [1, 24_000_000],
];
const WORDS = (
  'the a of to in is for on with as by this that not be are from at or error const return import export await ' +
  'async class test expect value index file path line list read write open close state change entry session turn ' +
  'garden fence river stone bridge window letter number summer winter morning carpet engine harbour lantern'
).split(' ');

/** Half of the words are common; the others are names in code, a few of them frequent and most of them rare. */
const NAMES = 30_000;
const SYLLABLES =
  'ab ar be con der el fi go ha in ja ko lo mi net or pa qu re so ta un ver wi xe yo ze str map'.split(' ');
const FILLER_WORDS = 300_000;

export function writeCorpus(options: CorpusOptions): Corpus {
  const random = generator(options.seed ?? 1);
  const pick = (from: readonly string[]) => from[Math.floor(random() * from.length)] ?? '';
  const names = Array.from({ length: NAMES }, () =>
    Array.from({ length: 2 + Math.floor(random() * 4) }, () => pick(SYLLABLES)).join(''),
  );
  const name = () => names[Math.floor(NAMES * random() ** 4)] ?? '';
  const filler = Array.from({ length: FILLER_WORDS }, () => (random() < 0.5 ? pick(WORDS) : name())).join(
    ' ',
  );
  const writer = new Writer(options, random, filler);
  for (let index = 0; index < options.claude; index++) writer.claude(index, sizeAt(random()));
  for (let index = 0; index < options.codex; index++)
    writer.codex(index, Math.min(sizeAt(random()), 500_000));
  const large = (options.large ?? []).map((bytes, index) => writer.claude(options.claude + index, bytes));
  return { files: writer.files, bytes: writer.bytes, large };
}

class Writer {
  files = 0;
  bytes = 0;
  readonly #options: CorpusOptions;
  readonly #random: () => number;
  readonly #filler: string;
  readonly #now = Date.now();

  constructor(options: CorpusOptions, random: () => number, filler: string) {
    this.#options = options;
    this.#random = random;
    this.#filler = filler;
  }

  claude(index: number, bytes: number): Corpus['large'][number] {
    const session = uuid(1, index);
    const cwd = this.#directory(index);
    const path = join(
      this.#options.home,
      '.claude/projects',
      cwd.replace(/[^A-Za-z0-9]/g, '-'),
      `${session}.jsonl`,
    );
    let [count, parent] = [0, ''];
    const line = (more: object): object => {
      const id = uuid(index + 10, count++);
      const base = {
        parentUuid: parent || null,
        isSidechain: false,
        uuid: id,
        timestamp: this.#time(index, count),
      };
      parent = id;
      return { ...base, cwd, sessionId: session, version: '2.1.325', ...more };
    };
    const user = (content: unknown, more: object = {}): object =>
      line({ type: 'user', message: { role: 'user', content }, ...more });
    const assistantLine = (block: object, stop_reason: string): object =>
      line({
        type: 'assistant',
        message: {
          id: `msg_${index}_${count}`,
          role: 'assistant',
          model: 'm',
          content: [block],
          stop_reason,
        },
      });
    const written = this.#write(path, bytes, index, (turn) => {
      const lines = [user(`Task ${index}.${turn}: ${this.#prose(120)}${this.#rare(index)}`)];
      for (let tool = 0; tool < 4; tool++) {
        const id = `toolu_${index}_${count}`;
        const output = `${COMMON} ${this.#prose(this.#outputSize())}`;
        const command = `grep -rn ${this.#prose(20).trim()} src`;
        lines.push(assistantLine({ type: 'tool_use', id, name: 'Bash', input: { command } }, 'tool_use'));
        const result = [{ type: 'tool_result', tool_use_id: id, content: output }];
        lines.push(user(result, { toolUseResult: { stdout: output, stderr: '' } }));
      }
      lines.push(assistantLine({ type: 'text', text: `Done with ${turn}. ${this.#prose(600)}` }, 'end_turn'));
      return lines;
    });
    return { path, session, bytes: written };
  }

  codex(index: number, bytes: number): void {
    const session = uuid(2, index);
    const cwd = this.#directory(index);
    const name = `rollout-2026-01-01T00-00-00-${session}.jsonl`;
    const path = join(
      this.#options.home,
      '.codex/sessions/2026/01',
      String(1 + (index % 28)).padStart(2, '0'),
      name,
    );
    let count = 0;
    const line = (type: string, payload: object): object => ({
      timestamp: this.#time(index, count++),
      type,
      payload,
    });
    const item = (payload: object): object => line('response_item', payload);
    this.#write(path, bytes, index, (turn) => {
      const call = `call_${index}_${turn}`;
      return [
        ...(turn === 0 ? [line('session_meta', { id: session, cwd, cli_version: '0.166.0' })] : []),
        item({
          type: 'message',
          role: 'user',
          content: [{ type: 'input_text', text: `Task ${this.#prose(100)}` }],
        }),
        item({ type: 'function_call', name: 'exec_command', arguments: '{"cmd":"ls"}', call_id: call }),
        item({ type: 'function_call_output', call_id: call, output: this.#prose(this.#outputSize()) }),
        item({
          type: 'message',
          role: 'assistant',
          content: [{ type: 'output_text', text: this.#prose(500) }],
        }),
      ];
    });
  }

  #write(path: string, bytes: number, index: number, turnLines: (turn: number) => readonly object[]): number {
    mkdirSync(dirname(path), { recursive: true });
    const descriptor = openSync(path, 'w');
    let written = 0;
    for (let turn = 0; written < bytes; turn++) {
      const text = turnLines(turn)
        .map((line) => `${JSON.stringify(line)}\n`)
        .join('');
      written += writeSync(descriptor, text);
    }
    closeSync(descriptor);
    const at = new Date(this.#time(index, 0));
    utimesSync(path, at, at);
    this.files += 1;
    this.bytes += written;
    return written;
  }

  #directory(index: number): string {
    return this.#options.directories[index % this.#options.directories.length] ?? '/';
  }

  /** The first are the newest, none older than a month, because agents delete older ones at startup. */
  #time(index: number, line: number): string {
    return new Date(this.#now - (index + 1) * 200_000 + line).toISOString();
  }

  #prose(length: number): string {
    const from = Math.floor(this.#random() * (this.#filler.length - length));
    return this.#filler.slice(from, from + length);
  }

  #outputSize(): number {
    return Math.floor(200 + this.#random() ** 4 * 30_000);
  }

  #rare(index: number): string {
    return index % 100 === 7 ? ` ${RARE}` : '';
  }
}

/** Interpolates logarithmically between the known percentiles. */
function sizeAt(share: number): number {
  const above = SIZES.findIndex(([known]) => known >= share);
  const [toShare, to] = SIZES[Math.max(1, above)] ?? [1, 0];
  const [fromShare, from] = SIZES[Math.max(1, above) - 1] ?? [0, 0];
  return from * (to / from) ** ((share - fromShare) / (toShare - fromShare));
}

function uuid(kind: number, index: number): string {
  const hex = (value: number, length: number) => value.toString(16).padStart(length, '0').slice(-length);
  return `${hex(kind, 8)}-0000-4000-8000-${hex(index, 12)}`;
}

function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) & 0x7fffffff;
    return state / 0x7fffffff;
  };
}
