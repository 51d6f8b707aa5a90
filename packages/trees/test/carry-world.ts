/**
 * Random histories on disk, for property tests: a repository with a submodule, ignored and large files, a user, and two
 * sessions whose turns and restores overlap. Every line is unique and names its author.
 */
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { beginCarry, type CarryPlan, leaveCarry, planUndo, runCarry } from '../src/carry/carry.ts';
import { createdPaths, listOperations, type Operation, readOperation } from '../src/carry/operation.ts';
import { otherRestores } from '../src/carry/other-sessions.ts';
import { planSessionRestore } from '../src/carry/session-restore.ts';
import { recordTree, TREE_LIMITS } from '../src/record-tree.ts';
import type { Shadow } from '../src/shadow.ts';
import type { TurnBound, TurnSpan } from '../src/turn-bounds.ts';
import { openShadow } from '../src/turn-trees.ts';
import { random } from './carry-history.ts';

type Name = 'alpha' | 'bravo';
type Author = Name | 'user';
/** Mode and content of every file, ignored and large ones included. */
export type Disk = ReadonlyMap<string, string>;

const NAMES = [
  'a.txt',
  'A.txt',
  'b.txt',
  'dir',
  'dir/c.txt',
  'dir/deep/d.txt',
  'Dir/c.txt',
  'ü ö.txt',
  '-m',
  'link',
  'debug.log',
  'out/e.txt',
  'nested/f.txt',
  'module/g.txt',
];
const RULES = ['*.log', 'out/', 'b.txt', 'dir/', '!debug.log', '/a.txt', '*'];
/** Larger files are not recorded. */
const LARGE = 2_000;
const CUT = new Error('cut');

interface Session {
  readonly name: Name;
  readonly turns: { turn: string; start: TurnBound; end?: TurnBound; disk: Disk }[];
  readonly directory: string;
  /** Lines that came back by its own restores: they are not others' work. */
  readonly returned: Set<string>;
  readonly diskBefore: Map<string, Disk>;
}

export class World {
  readonly #pick: (below: number) => number;
  readonly #root: string;
  readonly #project: string;
  readonly #sessions: readonly Session[];
  #shadow: Shadow | undefined;
  #line = 0;
  readonly counts = { restores: 0, undos: 0, cuts: 0, changed: 0 };
  /** What happened, to explain a failure. */
  readonly story: string[] = [];

  constructor(root: string, seed: number, template: string) {
    this.#pick = random(seed);
    this.#root = root;
    this.#project = join(root, 'project');
    execFileSync('cp', ['-a', template, this.#project]);
    this.#sessions = (['alpha', 'bravo'] as const).map((name) => ({
      name,
      turns: [],
      directory: join(root, name),
      returned: new Set(),
      diskBefore: new Map(),
    }));
  }

  /** Plays the history; throws where a restore lost something. */
  async play(events: number): Promise<void> {
    for (let left = events; left > 0; left--) await this.#event();
  }

  async #event(): Promise<void> {
    const session = this.#sessions[this.#pick(2)];
    if (!session) return;
    const running = session.turns.at(-1);
    const isRunning = running !== undefined && running.end === undefined;
    const kind = this.#pick(12);
    if (isRunning && kind < 7) this.#edit(session.name);
    else if (isRunning) {
      running.end = { turn: running.turn, bound: 'end', ...(await this.#record(session)) };
      this.story.push(`${session.name} ends ${running.turn}`);
    } else if (kind < 5) await this.#start(session);
    else if (kind < 7) {
      // Edits of a user during a turn look like the work of the agent.
      if (this.#sessions.every(({ turns }) => turns.length === 0 || turns.at(-1)?.end)) this.#edit('user');
    } else if (kind < 10) await this.#restore(session);
    else await this.#undo(session);
  }

  async #start(session: Session): Promise<void> {
    const turn = `${session.name}-${session.turns.length + 1}`;
    const start: TurnBound = { turn, bound: 'start', ...(await this.#record(session)) };
    session.turns.push({ turn, start, disk: this.#read() });
    this.story.push(`${turn} begins`);
    for (let left = this.#pick(4); left > 0; left--) this.#edit(session.name);
  }

  async #open(): Promise<Shadow> {
    this.#shadow ??= await openShadow({ home: join(this.#root, 'shadows'), project: this.#project });
    return this.#shadow;
  }

  /** Records once the file system's clock has passed everything written so far. */
  async #record(
    { name }: Session,
    also?: readonly string[],
  ): Promise<Omit<TurnBound, 'turn' | 'bound'> & { tree: string }> {
    const probe = join(this.#root, 'probe');
    writeFileSync(probe, '');
    const born = lstatSync(probe).birthtimeMs;
    rmSync(probe);
    while (Date.now() <= born + 25) await new Promise((resolve) => setTimeout(resolve, 5));
    const at = Date.now();
    const limits = { ...TREE_LIMITS, fileBytes: LARGE };
    const { tree, left, leftOut } = await recordTree({
      shadow: await this.#open(),
      writer: name,
      limits,
      also,
    });
    return { at, tree, left, leftOut };
  }

  async #restore(session: Session): Promise<void> {
    const from = session.turns[this.#pick(session.turns.length)];
    if (!from) return;
    const shadow = await this.#open();
    const before = this.#read();
    const [other] = this.#sessions.filter((one) => one !== session);
    const found = await planSessionRestore({
      shadow,
      turns: session.turns,
      others: [
        ...((other?.turns ?? []) as TurnSpan[]),
        ...(await otherRestores(shadow, session.name, () => other?.directory ?? '')),
      ],
      operations: listOperations(session.directory),
      saves: [],
      now: (await this.#record(session)).tree,
      target: { turn: from.turn, prompt: '' },
    });
    if (!found) throw new Error(`no plan for ${from.turn}`);
    this.counts.restores += 1;
    this.story.push(`${session.name} restores to ${from.turn}`);
    for (const { path, state, why = '' } of found.plan.rows) this.story.push(`  ${state} ${why} ${path}`);
    const id = await this.#carry(session, found.plan, before);
    if (id === undefined) return;
    const after = this.#read();
    this.#checkLines(session, found.plan, from.disk, before, after);
    // Undo is exact while nobody changed anything.
    if (this.#pick(2) === 0) await this.#undo(session);
  }

  /** Undefined if it was cut off and not finished. */
  async #carry(session: Session, plan: CarryPlan, before: Disk): Promise<string | undefined> {
    const shadow = await this.#open();
    const { directory, name } = session;
    const operation = await beginCarry({ shadow, plan, directory, session: name, at: Date.now() });
    const { id } = operation;
    if (operation.rows.length > 0) this.counts.changed += 1;
    session.diskBefore.set(id, before);
    const run = (onStep?: () => void) => runCarry({ shadow, operation, directory, now: Date.now, onStep });
    let isWhole = true;
    if (this.#pick(4) === 0) {
      let left = this.#pick(operation.rows.length + 1);
      const cut = () => {
        if (left === 0) throw CUT;
        left -= 1;
      };
      await run(cut).catch((error: unknown) => {
        if (error !== CUT) throw error;
        isWhole = false;
      });
      this.counts.cuts += 1;
    } else await run();
    const way = isWhole ? 3 : this.#pick(3);
    this.story.push(`  ${['finished after a cut', 'left after a cut', 'undone after a cut', 'done'][way]}`);
    if (way === 0) await run();
    if (way === 1 || way === 2) await leaveCarry({ shadow, operation, directory, now: Date.now });
    await this.#record(session, createdPaths(operation));
    const after = this.#read();
    this.#diskAfter.set(id, after);
    for (const line of linesOf(after)) if (!linesOf(before).has(line)) session.returned.add(line);
    if (way === 2) await this.#undo(session);
    return way === 0 || way === 3 ? id : undefined;
  }

  async #undo(session: Session): Promise<void> {
    const operations = listOperations(session.directory);
    const undone = new Set(operations.map(({ undoes }) => undoes));
    const operation = operations.filter(({ id }) => !undone.has(id)).at(-1);
    const target = operation && session.diskBefore.get(operation.id);
    if (!operation || !target) return;
    const reached = await this.#reached(session, operation);
    const shadow = await this.#open();
    const before = this.#read();
    const plan = await planUndo(
      shadow,
      operation,
      (await this.#record(session, createdPaths(operation))).tree,
    );
    const run = await beginCarry({
      shadow,
      plan,
      directory: session.directory,
      session: session.name,
      at: Date.now(),
    });
    session.diskBefore.set(run.id, before);
    await runCarry({ shadow, operation: run, directory: session.directory, now: Date.now });
    const after = this.#read();
    for (const line of linesOf(after)) if (!linesOf(before).has(line)) session.returned.add(line);
    this.counts.undos += 1;
    this.story.push(`${session.name} undoes ${operation.id.slice(0, 4)}`);
    for (const { path, state, why = '' } of plan.rows) this.story.push(`  ${state} ${why} ${path}`);
    this.#diskAfter.set(run.id, after);
    if (reached && isSameDisk(reached, before)) {
      if (!isSameDisk(after, target)) throw this.#fault(`undo is not exact: ${difference(target, after)}`);
    }
    this.#checkLines(session, plan, target, before, after);
  }

  readonly #diskAfter = new Map<string, Disk>();

  /** The files right after an operation, if they are still so. */
  async #reached({ directory }: Session, { id }: Operation): Promise<Disk | undefined> {
    return readOperation(directory, id)?.ended && this.#diskAfter.get(id);
  }

  /** Lines that others typed since, and lines of the files that are restored, are still there. */
  #checkLines({ name, returned }: Session, plan: CarryPlan, then: Disk, before: Disk, after: Disk): void {
    const [known, kept] = [linesOf(then), linesOf(after)];
    // A line that was removed from a file which the plan does not know had no other place.
    const planned = new Set(plan.rows.map(({ path }) => path));
    const isHome = (path: string) => planned.has(path) || before.get(path) === then.get(path);
    const wanted = linesOf(new Map([...then].filter(([path]) => isHome(path))));
    const isTyped = (line: string) => !line.startsWith(name) && !returned.has(line) && !known.has(line);
    const lost = [...linesOf(before)].filter(
      (line) => !kept.has(line) && (wanted.has(line) || isTyped(line)),
    );
    if (lost.length > 0) throw this.#fault(`${name} lost ${lost.join(', ')}`);
  }

  #fault(words: string): Error {
    return new Error(`${words}\n${this.story.join('\n')}`);
  }

  #read(): Disk {
    const disk = new Map<string, string>();
    const walk = (below: string) => {
      for (const name of readdirSync(join(this.#project, below))) {
        const path = below === '' ? name : `${below}/${name}`;
        if (name === '.git') continue;
        const at = join(this.#project, path);
        const facts = lstatSync(at);
        if (facts.isDirectory()) walk(path);
        else if (facts.isSymbolicLink()) disk.set(path, `link ${readlinkSync(at)}`);
        else disk.set(path, `${facts.mode & 0o777} ${readFileSync(at, 'utf8')}`);
      }
    };
    walk('');
    return disk;
  }

  #edit(author: Author): void {
    const files = [...this.#read().keys()].filter((path) => path !== '.gitmodules' && path !== '.gitignore');
    const path = files[this.#pick(files.length)];
    const name = NAMES[this.#pick(NAMES.length)] ?? '';
    const kind = this.#pick(18);
    this.story.push(`${author}: ${kind} ${path} ${name}`);
    if (kind < 3 || path === undefined) this.#create(author, name);
    else if (kind === 3) rmSync(this.#at(path));
    else if (kind === 4) this.#rename(path, name);
    else if (kind === 5) this.#rename(path, this.#otherCase(path));
    else if (kind === 6) this.#toggle(path);
    else if (kind === 7) this.#link(author, name);
    else if (kind === 8) this.#convert(path);
    else if (kind === 9) this.#rules(author);
    else if (kind === 10) this.#grow(author, path);
    else if (kind === 11) this.#nest();
    else if (kind === 12) this.#copy(path, name);
    else this.#change(author, path);
  }

  #at(path: string): string {
    return join(this.#project, path);
  }

  #lines(author: Author, count: number): string {
    return Array.from({ length: count }, () => `${author}-${this.#line++}\n`).join('');
  }

  #isFile(path: string): boolean {
    return this.#facts(path)?.isFile() === true;
  }

  #facts(path: string) {
    try {
      return lstatSync(this.#at(path));
    } catch {
      return undefined;
    }
  }

  /** A file and a folder can't have one name; nobody removes files to make room. */
  #isFree(path: string): boolean {
    for (let at = path; at !== '.'; at = dirname(at)) {
      const facts = this.#facts(at);
      if (facts && (at === path || !facts.isDirectory())) return false;
    }
    return true;
  }

  #create(author: Author, path: string): void {
    if (!this.#isFree(path)) return;
    mkdirSync(dirname(this.#at(path)), { recursive: true });
    writeFileSync(this.#at(path), this.#lines(author, 3));
  }

  #rename(from: string, to: string): void {
    if (!this.#isFree(to) || to.startsWith(`${from}/`)) return;
    mkdirSync(dirname(this.#at(to)), { recursive: true });
    renameSync(this.#at(from), this.#at(to));
    this.#tidy(from);
  }

  /** Programs often remove folders that became empty. */
  #tidy(path: string): void {
    const folder = dirname(path);
    if (folder !== '.' && this.#pick(2) === 0 && readdirSync(this.#at(folder)).length === 0)
      rmSync(this.#at(folder), { recursive: true });
  }

  #copy(from: string, to: string): void {
    if (!this.#isFree(to) || !this.#isFile(from)) return;
    mkdirSync(dirname(this.#at(to)), { recursive: true });
    writeFileSync(this.#at(to), readFileSync(this.#at(from)));
  }

  #otherCase(path: string): string {
    const name = path.slice(path.lastIndexOf('/') + 1);
    const folder = path.slice(0, path.length - name.length);
    return `${folder}${name === name.toUpperCase() ? name.toLowerCase() : name.toUpperCase()}`;
  }

  #toggle(path: string): void {
    if (!this.#isFile(path)) return;
    chmodSync(this.#at(path), (lstatSync(this.#at(path)).mode & 0o777) ^ 0o111);
  }

  #link(author: Author, path: string): void {
    if (!this.#isFree(path)) return;
    mkdirSync(dirname(this.#at(path)), { recursive: true });
    symlinkSync(`${author}-${this.#line++}`, this.#at(path));
  }

  /** Line endings. */
  #convert(path: string): void {
    if (!this.#isFile(path)) return;
    const text = readFileSync(this.#at(path), 'utf8');
    writeFileSync(
      this.#at(path),
      text.includes('\r') ? text.replaceAll('\r', '') : text.replaceAll('\n', '\r\n'),
    );
  }

  #rules(author: Author): void {
    const rules = RULES.filter(() => this.#pick(4) === 0);
    const text = `# ${author}-${this.#line++}\n${rules.map((rule) => `${rule}\n`).join('')}`;
    if (this.#isFile('.gitignore')) writeFileSync(this.#at('.gitignore'), text);
  }

  /** Beyond the limit, or back below it. */
  #grow(author: Author, path: string): void {
    if (!this.#isFile(path)) return;
    const text = readFileSync(this.#at(path), 'utf8');
    if (text.length > LARGE) writeFileSync(this.#at(path), text.slice(0, text.indexOf('\n', 100) + 1));
    else appendFileSync(this.#at(path), this.#lines(author, 300));
  }

  /** A folder becomes a repository, or stops being one. */
  #nest(): void {
    const at = this.#at('nested');
    if (!this.#facts('nested')?.isDirectory()) return;
    if (existsSync(join(at, '.git'))) rmSync(join(at, '.git'), { recursive: true });
    else execFileSync('git', ['init', '-q'], { cwd: at });
  }

  #change(author: Author, path: string): void {
    if (!this.#isFile(path)) return;
    const lines = readFileSync(this.#at(path), 'utf8').split('\n');
    const at = this.#pick(Math.max(1, lines.length - 1));
    const kind = this.#pick(4);
    if (kind === 0) lines.splice(at, 0, `${author}-${this.#line++}`);
    else if (kind === 1) lines.splice(at, 1);
    else lines[at] = `${author}-${this.#line++}`;
    writeFileSync(this.#at(path), lines.join('\n'));
  }
}

function linesOf(disk: Disk): Set<string> {
  const texts = [...disk.values()].map((text) => text.slice(text.indexOf(' ') + 1));
  const lines = texts.flatMap((text) => text.split(/\r?\n/));
  return new Set(lines.filter((line) => /^(user|alpha|bravo)-\d+$/.test(line)));
}

function isSameDisk(one: Disk, other: Disk): boolean {
  return one.size === other.size && [...one].every(([path, content]) => other.get(path) === content);
}

function difference(wanted: Disk, found: Disk): string {
  const paths = new Set([...wanted.keys(), ...found.keys()]);
  return [...paths].filter((path) => wanted.get(path) !== found.get(path)).join(', ');
}
