/**
 * W2: an editor and an agent write to one file at the same time, in random order, on a real file system. Each writes
 * its own marks. In the end every mark of the agent is on disk, in the trash, or was discarded by the user; every
 * mark of the user is on disk or still in the editor.
 */
import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { appendFile, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as model from '@tugdeck/protocol/files/document';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { hashOf, readText } from '../../src/files/read-file.ts';
import { FileSaver } from '../../src/files/save-file.ts';

const RUNS = 1_000;
const SEED = 20_261_115;
const isFull = process.env.TUGDECK_TEST_FULL === '1';

let root: string;
let saver: FileSaver;
/** What happens to a file between the check and the save: the worst case. */
const strikes = new Map<string, () => void>();
beforeAll(() => {
  // In memory if possible: this tests order, not disks.
  root = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'tugdeck-interleavings-'));
  saver = new FileSaver({
    intents: {
      begin({ name }) {
        strikes.get(name)?.();
        return { end: () => undefined };
      },
    },
    lateWriteMs: 5,
    fault: (error) => {
      throw error;
    },
  });
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

function randomFrom(seed: number): (below: number) => number {
  let state = seed | 0;
  return (below) => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 0x9e3779b9) | 0;
    return ((state ^ (state >>> 13)) >>> 0) % below;
  };
}

type Random = ReturnType<typeof randomFrom>;
/** Lets other tasks run first, at random. */
async function chance(random: Random): Promise<void> {
  for (let turns = random(4); turns > 0; turns--) await new Promise((resolve) => setImmediate(resolve));
}

/** Remembers what it wrote and writes all of it each time, with or without what it finds. */
class Agent {
  readonly marks: string[] = [];
  /** Counts starts and ends of writes: even while idle. */
  writes = 0;
  readonly #file: string;
  readonly #random: Random;

  constructor(file: string, random: Random) {
    this.#file = file;
    this.#random = random;
  }

  async write(name: string): Promise<void> {
    this.writes += 1;
    await this.#write(name).finally(() => {
      this.writes += 1;
    });
  }

  /** Writes at once, at an unexpected moment. */
  strike(name: string): void {
    this.writes += 2;
    this.marks.push(name);
    const own = `${this.marks.join('\n')}\n`;
    const kind = this.#random(3);
    if (kind === 0) appendFileSync(this.#file, own);
    else if (kind === 1) writeFileSync(this.#file, own);
    else {
      writeFileSync(`${this.#file}.struck`, own);
      renameSync(`${this.#file}.struck`, this.#file);
    }
  }

  async #write(name: string): Promise<void> {
    this.marks.push(name);
    const own = `${this.marks.join('\n')}\n`;
    const kind = this.#random(5);
    if (kind === 0) return appendFile(this.#file, own);
    const found = kind === 1 ? '' : await readFile(this.#file, 'utf8').catch(() => '');
    await chance(this.#random);
    const text = own + found.replace(own, '');
    if (kind <= 2) {
      await writeFile(`${this.#file}.agent`, text);
      await chance(this.#random);
      await rename(`${this.#file}.agent`, this.#file);
      return;
    }
    // In place, slowly: truncates, then writes in two parts.
    const handle = await open(this.#file, 'w');
    await chance(this.#random);
    await handle.write(text.slice(0, text.length / 2));
    await chance(this.#random);
    await handle.write(text.slice(text.length / 2));
    await handle.close();
    // Like a careful writer, it checks whether the file exists, and continues if not.
    if (kind === 4) await rm(`${this.#file}.agent`, { force: true });
  }
}

/** The page: the same model as the card's, with a simulated user who decides randomly. */
class Editor {
  document: model.FileDocument;
  readonly marks: string[] = [];
  /** Texts that the user discarded, or that the disk replaced while shown. */
  readonly discarded: string[] = [];
  readonly atHand: string[] = [];
  readonly overtaken: string[] = [];
  readonly #path: string;
  readonly #random: Random;
  readonly #agent: Agent;

  constructor(path: string, random: Random, disk: model.DiskText, agent: Agent) {
    this.#path = path;
    this.#random = random;
    this.#agent = agent;
    this.document = model.openDocument(disk);
  }

  type(name: string): void {
    this.marks.push(name);
    this.document = model.edit(this.document, `${this.document.text}${name}\n`);
  }

  async load(): Promise<void> {
    const read = await readText(root, this.#path).catch(() => undefined);
    await chance(this.#random);
    this.#apply(read?.kind === 'text' ? read : undefined);
  }

  async save(): Promise<void> {
    const begun = model.beginSave(this.document);
    if (!begun) return;
    this.document = begun;
    const { writes } = this.#agent;
    const there = existsSync(join(root, this.#path)) && readFileSync(join(root, this.#path));
    const answer = await saver.save({
      root,
      path: this.#path,
      bytes: Buffer.from(begun.saving ?? ''),
      expected: begun.base?.hash,
      overtaken: (_, bytes) => {
        this.overtaken.push(bytes.toString());
        this.document = model.overtaken(this.document, bytes.toString());
      },
    });
    // While the agent is idle, a save only replaces the loaded version, kept or not.
    if (answer.kind === 'saved' && writes % 2 === 0 && writes === this.#agent.writes)
      expect([this.#path, there && hashOf(there)]).toEqual([this.#path, begun.base?.hash ?? false]);
    if (answer.kind === 'saved') this.document = model.saved(this.document, answer.hash);
    else this.document = model.saveRefused(this.document, answer.theirs);
  }

  /** The page reloads: it has only its draft and the disk. */
  async reload(): Promise<void> {
    const { text, base, conflict } = this.document;
    const draft = model.isDirty(this.document) || conflict ? { text, base } : undefined;
    const read = await readText(root, this.#path).catch(() => undefined);
    this.document = model.openDocument(read?.kind === 'text' ? read : undefined, draft);
  }

  decide(): void {
    const { conflict, text } = this.document;
    if (!conflict) return;
    const choice = this.#random(3);
    if (choice === 0 && conflict.theirs !== undefined) {
      this.discarded.push(text);
      this.document = model.resolveConflict(this.document, 'theirs');
      return;
    }
    // Keeping mine discards theirs; a merge keeps every line of both.
    if (choice === 1) this.discarded.push(conflict.theirs ?? '');
    else this.document = model.edit(this.document, merged(text, conflict.theirs ?? ''));
    this.document = model.resolveConflict(this.document, 'mine');
  }

  #apply(disk: model.DiskText | undefined): void {
    this.document = model.updateFromDisk(this.document, disk);
    if (this.document.replaced !== undefined) this.atHand.push(this.document.replaced);
  }
}

const merged = (mine: string, theirs: string) =>
  [...new Set([...theirs.split('\n'), ...mine.split('\n')])]
    .filter((line) => line !== '')
    .join('\n')
    .concat('\n');

async function run(seed: number): Promise<void> {
  const random = randomFrom(seed);
  const path = `file-${seed}.txt`;
  const file = join(root, path);
  await writeFile(file, 'first\n');
  const start = await readText(root, path);
  if (start.kind !== 'text') throw new Error('no text');
  const agent = new Agent(file, random);
  const editor = new Editor(path, random, start, agent);
  let struck = 0;
  strikes.set(path, () => {
    if (struck < 2 && random(3) === 0) agent.strike(`S${seed}-${struck++}`);
  });
  const agentWork = async () => {
    for (let step = 1 + random(3); step > 0; step--) {
      await chance(random);
      await agent.write(`A${seed}-${step}`);
    }
  };
  const editorWork = async () => {
    for (let step = 2 + random(4); step > 0; step--) {
      await chance(random);
      const choice = random(6);
      if (choice <= 1) editor.type(`E${seed}-${step}`);
      else if (choice === 2) await editor.load();
      else if (choice === 3) editor.decide();
      else if (choice === 4) await editor.reload();
      await editor.save();
    }
  };
  await Promise.all([agentWork(), editorWork()]);
  strikes.delete(path);
  await saver.close();
  // Everyone is idle: the watch has reported the last change, and the user decides and saves.
  for (let round = 0; round < 4; round++) {
    await editor.load();
    editor.decide();
    await editor.save();
    await saver.close();
  }
  const disk = await readFile(file, 'utf8');
  const kept = [disk, ...editor.overtaken, ...editor.discarded].join('\n');
  for (const mark of agent.marks)
    expect([seed, mark, kept.includes(`${mark}\n`)]).toEqual([seed, mark, true]);
  const mine = [disk, editor.document.text, ...editor.atHand, ...editor.discarded].join('\n');
  for (const mark of editor.marks)
    expect([seed, mark, mine.includes(`${mark}\n`)]).toEqual([seed, mark, true]);
  expect([seed, model.isDirty(editor.document)]).toEqual([seed, false]);
  expect([seed, editor.document.text]).toEqual([seed, disk]);
}

test(`W23 ${RUNS} interleavings of an editor and an agent lose nothing that the user did not discard`, async () => {
  const runs = isFull ? RUNS * 10 : RUNS;
  for (let first = 0; first < runs; first += 20) {
    await Promise.all(Array.from({ length: 20 }, (_, at) => run(SEED + first + at)));
  }
  // No temporary files are left.
  expect(readdirSync(root).filter((name) => name.includes('tugdeck-'))).toEqual([]);
}, 300_000);
