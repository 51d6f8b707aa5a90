/**
 * Property tests of carry: random histories of an agent, a user and a second session. `TUGDECK_CARRY_SEED` starts at
 * another seed.
 */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { applyPlan, type CarriedRow, removeLeftovers } from '../src/carry/apply.ts';
import { blobId } from '../src/carry/blobs.ts';
import type { CarryRow } from '../src/carry/carry-row.ts';
import { mergeContent } from '../src/carry/merge-content.ts';
import { type MergeRequest, planCarry, planHash, reversed } from '../src/carry/plan.ts';
import { isSameVersion, type Span } from '../src/carry/versions.ts';
import {
  type Files,
  type History,
  linesOf,
  makeHistory,
  random,
  readFiles,
  spanOf,
  versions,
  Writer,
  writeFiles,
} from './carry-history.ts';

const SEEDS = process.env.TUGDECK_TEST_FULL === '1' ? 2_000 : 200;
const FIRST = Number(process.env.TUGDECK_CARRY_SEED ?? 1);
const ID = '00000000-0000-4000-8000-000000000000';
const CUT = new Error('cut');

let scratch = '';
let root = '';
beforeAll(() => {
  scratch = realpathSync(mkdtempSync(join(tmpdir(), 'td-carry-')));
  root = join(scratch, 'project');
  mkdirSync(root);
});
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** Contents by id, in place of a shadow repository. */
class Contents {
  readonly #byId = new Map<string, Buffer>();

  add(files: Files): void {
    for (const { text } of files.values()) this.put(Buffer.from(text));
  }

  put(bytes: Buffer): string {
    const id = blobId(bytes);
    this.#byId.set(id, bytes);
    return id;
  }

  get(id: string): Buffer {
    const bytes = this.#byId.get(id);
    if (!bytes) throw new Error(`no content ${id}`);
    return bytes;
  }

  read = async (blobs: readonly string[]) => new Map(blobs.map((blob) => [blob, this.get(blob)]));

  merge = async (requests: readonly MergeRequest[]): Promise<(string | undefined)[]> => {
    const merged: (string | undefined)[] = [];
    for (const { base, ours, theirs } of requests) {
      const [b, o, t] = [base, ours, theirs].map(({ blob }) => this.get(blob));
      if (!b || !o || !t) throw new Error('no content');
      const bytes = await mergeContent(scratch, { base: b, ours: o, theirs: t });
      merged.push(bytes && this.put(bytes));
    }
    return merged;
  };
}

interface Case {
  readonly seed: number;
  readonly contents: Contents;
  readonly spans: readonly Span[];
  readonly history: History;
  readonly rows: readonly CarryRow[];
}

const plans = new Map<number, Promise<Case>>();

function plan(seed: number): Promise<Case> {
  const known = plans.get(seed) ?? makePlan(seed);
  plans.set(seed, known);
  return known;
}

async function makePlan(seed: number): Promise<Case> {
  const all = makeHistory(seed);
  // Back to a random message: the turns from there on are reverted.
  const from = random(seed + 1_000_000)(all.spans.length);
  const history = { ...all, spans: all.spans.slice(from) };
  const contents = new Contents();
  for (const { start, end } of history.spans) {
    contents.add(start);
    contents.add(end);
  }
  contents.add(history.now);
  const spans = history.spans.map(({ start, end }) => spanOf(start, end));
  const gaps = history.spans.map(({ end }, at) => spanOf(end, history.spans[at + 1]?.start ?? history.now));
  const rows = await planCarry({ spans, gaps, now: versions(history.now), ...portsOf(contents) });
  return { seed, contents, spans, history, rows };
}

function portsOf({ merge, read }: Contents) {
  return { merge, read };
}

/** A plan that undoes the carried rows; everything since is somebody else's. */
function planUndo(rows: readonly CarriedRow[], now: Files, contents: Contents): Promise<CarryRow[]> {
  const current = versions(now);
  const gap = new Map(rows.map(({ path, after }) => [path, { start: after, end: current.get(path) }]));
  return planCarry({ spans: [reversed(rows)], gaps: [gap], now: current, ...portsOf(contents) });
}

function apply(rows: readonly CarriedRow[], contents: Contents, onStep?: (path: string) => void) {
  return applyPlan({
    id: ID,
    root,
    rows,
    since: 0,
    batches: async (blobs) => [blobs],
    read: contents.read,
    onStep,
  });
}

function carried(rows: readonly CarryRow[]): CarriedRow[] {
  return rows.filter(({ before, after }) => !isSameVersion(before, after));
}

/** Stops at the given write or removal, as if the process had been killed before it replaced the file. */
async function applyUntil(rows: readonly CarriedRow[], contents: Contents, steps: number): Promise<void> {
  let left = steps;
  const stop = (path: string) => {
    left -= 1;
    if (left >= 0) return;
    if (rows.some((row) => row.path === path && row.after)) {
      writeFileSync(join(root, dirname(path), `.restore.tugdeck-${ID}`), 'half');
    }
    throw CUT;
  };
  await apply(rows, contents, stop).catch((error: unknown) => {
    if (error !== CUT) throw error;
  });
}

function sorted(files: Files) {
  return [...files].sort(([a], [b]) => (a < b ? -1 : 1));
}

/** The state of a path before each span, after each span, and now. */
function timeline({ history }: Case, path: string) {
  const bounds = history.spans.flatMap(({ start, end }) => [
    versions(start).get(path),
    versions(end).get(path),
  ]);
  return [...bounds, versions(history.now).get(path)];
}

function checkPlan(one: Case, result: Files): void {
  const after = versions(result);
  const target = one.history.spans[0]?.start ?? new Map();
  const paths = new Set([...one.history.now.keys(), ...target.keys(), ...result.keys()]);
  const known = linesOf(target);
  const then = allLines(target);
  const conflicts = new Set(one.rows.filter(({ state }) => state === 'conflict').map(({ path }) => path));
  const elsewhere = allLines(new Map([...result].filter(([path]) => !conflicts.has(path))));
  /** Lines of others, or of the checkpoint, that the agent moved into the file, and that have no other place to go. */
  const hasForeignLines = (path: string) => {
    const content = one.history.now.get(path);
    const lines = content ? [...allLines(new Map([[path, content]]))] : [];
    const isTyped = (line: string) => /^(user|other)-/.test(line) && !known.has(line);
    return lines.some((line) => isTyped(line) || (then.has(line) && !elsewhere.has(line)));
  };
  const isCollision = one.rows.some(({ why }) => why === 'occupied');
  for (const path of paths) {
    const line = timeline(one, path);
    const isOwn = one.spans.some((span) => span.has(path));
    const label = `seed ${one.seed}: ${path}`;
    // Untouched by the agent: exactly as now.
    if (!isOwn) expect(after.get(path), label).toEqual(line.at(-1));
    // Untouched by anybody else: exactly as at the checkpoint.
    const isOthers = line.some((version, at) => at % 2 === 1 && !isSameVersion(version, line[at + 1]));
    if (!isOthers && !isCollision && !hasForeignLines(path)) expect(after.get(path), label).toEqual(line[0]);
  }
  const kept = linesOf(result);
  const lost = [...linesOf(one.history.now)].filter((text) => !known.has(text) && !kept.has(text));
  expect(lost, `seed ${one.seed}: lost lines`).toEqual([]);
  const before = allLines(one.history.now);
  const all = allLines(result);
  // Half of a move must not be reverted: a line of the checkpoint that exists now still exists.
  const gone = [...allLines(target)].filter((text) => before.has(text) && !all.has(text));
  expect(gone, `seed ${one.seed}: lost lines of the checkpoint`).toEqual([]);
}

function allLines(files: Files): Set<string> {
  return new Set([...files.values()].flatMap(({ text }) => text.split('\n')));
}

const TIMEOUT_MS = 15 * 60_000;

test(
  `T4 T12 restores ${SEEDS} random histories without losing a line of anybody else`,
  async () => {
    const counts: Record<string, number> = {};
    for (let seed = FIRST; seed < FIRST + SEEDS; seed++) {
      const one = await plan(seed);
      writeFiles(root, one.history.now);
      const rows = carried(one.rows);
      const { left } = await apply(rows, one.contents);
      expect(left, `seed ${seed}`).toEqual([]);
      const result = readFiles(root);
      checkPlan(one, result);
      // T14: undo is exact.
      const undo = await planUndo(rows, result, one.contents);
      expect((await apply(carried(undo), one.contents)).left, `seed ${seed}: undo`).toEqual([]);
      expect(sorted(readFiles(root)), `seed ${seed}: undo`).toEqual(sorted(one.history.now));
      for (const { state } of one.rows) counts[state] = (counts[state] ?? 0) + 1;
    }
    // The histories are not trivial.
    for (const state of ['restored', 'recreated', 'removed', 'merged', 'conflict']) {
      expect(counts[state], state).toBeGreaterThan(SEEDS / 10);
    }
  },
  TIMEOUT_MS,
);

test(
  `T19 a restore that was interrupted anywhere can be finished or undone exactly, in ${SEEDS} histories`,
  async () => {
    for (let seed = FIRST; seed < FIRST + SEEDS; seed++) {
      const one = await plan(seed);
      const rows = carried(one.rows);
      const pick = random(seed + 2_000_000);
      writeFiles(root, one.history.now);
      await apply(rows, one.contents);
      const whole = sorted(readFiles(root));
      writeFiles(root, one.history.now);
      await applyUntil(rows, one.contents, pick(rows.length + 1));
      await applyUntil(rows, one.contents, pick(rows.length + 1));
      const { left } = await apply(rows, one.contents);
      expect(left, `seed ${seed}`).toEqual([]);
      expect(sorted(readFiles(root)), `seed ${seed}: finished`).toEqual(whole);
      const again = await apply(rows, one.contents);
      expect([again.written, again.removed], `seed ${seed}: finished twice`).toEqual([0, 0]);

      writeFiles(root, one.history.now);
      await applyUntil(rows, one.contents, pick(rows.length + 1));
      await removeLeftovers({ id: ID, root, rows });
      const now = readFiles(root);
      one.contents.add(now);
      const undo = await planUndo(rows, now, one.contents);
      await apply(carried(undo), one.contents);
      expect(sorted(readFiles(root)), `seed ${seed}: undone`).toEqual(sorted(one.history.now));
    }
  },
  TIMEOUT_MS,
);

test(
  `T14 undo keeps what was edited since, in ${SEEDS} histories`,
  async () => {
    for (let seed = FIRST; seed < FIRST + SEEDS; seed++) {
      const one = await plan(seed);
      const rows = carried(one.rows);
      writeFiles(root, one.history.now);
      await apply(rows, one.contents);
      const pick = random(seed + 3_000_000);
      const writer = new Writer(pick);
      for (const [path, content] of readFiles(root)) writer.files.set(path, content);
      const before = linesOf(writer.files);
      // New lines only: numbers that the history did not reach.
      for (let left = pick(3); left > 0; left--) {
        const names = [...writer.files.keys()];
        const name = names[pick(names.length)];
        const content = name === undefined ? undefined : writer.files.get(name);
        if (name === undefined || !content || content.mode === '120000') continue;
        writer.files.set(name, { ...content, text: `user-since-${left}\n${content.text}` });
      }
      writeFiles(root, writer.files);
      one.contents.add(writer.files);
      const undo = await planUndo(rows, writer.files, one.contents);
      await apply(carried(undo), one.contents);
      const result = readFiles(root);
      const typed = [...linesOf(writer.files)].filter((line) => !before.has(line));
      const lines = linesOf(result);
      expect(
        typed.filter((line) => !lines.has(line)),
        `seed ${seed}: lost lines`,
      ).toEqual([]);
      if (undo.some(({ why }) => why === 'occupied')) continue;
      for (const [path, version] of versions(one.history.now)) {
        if (isSameVersion(versions(writer.files).get(path), rows.find((row) => row.path === path)?.after)) {
          expect(versions(result).get(path), `seed ${seed}: ${path}`).toEqual(version);
        }
      }
    }
  },
  TIMEOUT_MS,
);

test('T13 the hash of a plan changes with everything that the plan would do', async () => {
  // A history can have nothing to restore.
  let seed = FIRST;
  while ((await plan(seed)).rows.length < 2) seed += 1;
  const { rows } = await plan(seed);
  const hashes = new Set([planHash(rows), planHash(rows.slice(1))]);
  const [first, ...rest] = rows;
  if (!first) throw new Error('no rows');
  const blob = 'f'.repeat(40);
  for (const key of ['before', 'after', 'target']) {
    hashes.add(planHash([{ ...first, [key]: { mode: '100644', blob } }, ...rest]));
  }
  hashes.add(planHash([{ ...first, path: `${first.path} ` }, ...rest]));
  hashes.add(planHash([{ ...first, state: 'kept', why: 'name' }, ...rest]));
  expect(hashes.size).toBe(7);
  expect(planHash([...rows])).toBe(planHash(rows));
});
