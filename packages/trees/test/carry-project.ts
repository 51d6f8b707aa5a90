/** A project with a shadow repository, an agent's turns and a user, for the tests of carry. */
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, lstatSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  beginCarry,
  type CarryPlan,
  type EndedOperation,
  planRestore,
  planUndo,
  runCarry,
} from '../src/carry/carry.ts';
import type { Checkpoint } from '../src/carry/guards.ts';
import { createdPaths, type Operation } from '../src/carry/operation.ts';
import { otherRestores } from '../src/carry/other-sessions.ts';
import { ownSpans } from '../src/carry/own-spans.ts';
import type { Choice } from '../src/carry/plan.ts';
import { readSaves, recordSave } from '../src/carry/saves.ts';
import { type RecordedTree, recordTree } from '../src/record-tree.ts';
import type { Shadow } from '../src/shadow.ts';
import type { TurnSpan } from '../src/turn-bounds.ts';
import { openShadow } from '../src/turn-trees.ts';

let count = 0;

export class Project {
  readonly directory: string;
  readonly operations: string;
  readonly otherOperations: string;
  readonly #home: string;
  readonly turns: TurnSpan[] = [];
  readonly others: TurnSpan[] = [];
  #shadow: Shadow | undefined;
  #turn = 0;

  constructor(root: string, files: Readonly<Record<string, string>> = {}, isRepository = false) {
    count += 1;
    this.directory = join(root, `carry-${count}`);
    this.operations = join(root, `operations-${count}`);
    this.otherOperations = join(root, `other-operations-${count}`);
    this.#home = join(root, 'shadows');
    mkdirSync(this.directory);
    for (const [path, text] of Object.entries(files)) this.write(path, text);
    if (isRepository) {
      this.git('init', '-q');
      this.git('add', '-A');
      this.git('commit', '-qm', 'first');
    }
  }

  at(path: string): string {
    return join(this.directory, path);
  }

  write(path: string, text: string | Uint8Array): void {
    mkdirSync(dirname(this.at(path)), { recursive: true });
    writeFileSync(this.at(path), text);
  }

  remove(path: string): void {
    rmSync(this.at(path), { recursive: true });
  }

  git(...args: string[]): string {
    return execFileSync('git', args, { cwd: this.directory, encoding: 'utf8' });
  }

  async shadow(): Promise<Shadow> {
    this.#shadow ??= await openShadow({ home: this.#home, project: this.directory });
    return this.#shadow;
  }

  /** Records once the file system's clock has passed everything written so far. */
  async record(writer = 'session', also?: readonly string[]): Promise<RecordedTree & { at: number }> {
    const probe = `${this.directory}.probe`;
    writeFileSync(probe, '');
    const born = lstatSync(probe).birthtimeMs;
    rmSync(probe);
    while (Date.now() <= born + 25) await new Promise((resolve) => setTimeout(resolve, 5));
    const at = Date.now();
    return { at, ...(await recordTree({ shadow: await this.shadow(), writer, also })) };
  }

  /** A turn of the agent. Returns its checkpoint. */
  async turn(work: () => void | Promise<void>): Promise<Checkpoint> {
    this.#turn += 1;
    const turn = `turn-${this.#turn}`;
    const start = await this.record();
    await work();
    const end = await this.record();
    this.turns.push({ turn, start: { turn, bound: 'start', ...start }, end: { turn, bound: 'end', ...end } });
    return start;
  }

  /** The user saves a file in the editor. */
  async save(path: string, text: string): Promise<void> {
    const before = existsSync(this.at(path)) ? readFileSync(this.at(path)) : undefined;
    this.write(path, text);
    const content = { at: Date.now(), path, before, after: Buffer.from(text), isExecutable: false };
    await recordSave(await this.shadow(), { session: 'session', file: this.#saves }, content);
  }

  get #saves(): string {
    return `${this.operations}.saves`;
  }

  /** A turn of another session. */
  async otherTurn(work: () => void): Promise<TurnSpan> {
    const turn = `other-${this.others.length}`;
    const start = await this.record('other');
    work();
    const end = await this.record('other');
    const span: TurnSpan = {
      turn,
      start: { turn, bound: 'start', ...start },
      end: { turn, bound: 'end', ...end },
    };
    this.others.push(span);
    return span;
  }

  /** The other session restores to before one of its turns; `onStep` can cut it off. */
  async otherRestore({ start, end }: TurnSpan, onStep?: () => void): Promise<void> {
    if (start?.tree === undefined || end?.tree === undefined) throw new Error('no such turn');
    const shadow = await this.shadow();
    const { tree: now } = await this.record('other');
    const checkpoint = { ...start, tree: start.tree };
    const pairs = [{ start: start.tree, end: end.tree }];
    const plan = await planRestore({ shadow, now, checkpoint, pairs });
    const directory = this.otherOperations;
    const operation = await beginCarry({ shadow, plan, directory, session: 'other', at: Date.now() });
    await runCarry({ shadow, operation, directory, now: Date.now, onStep });
  }

  /** Back to before the turn with this number, counted from 0. */
  async plan(from = 0): Promise<CarryPlan> {
    const { tree: now } = await this.record();
    const turns = this.turns.slice(from);
    const start = turns[0]?.start;
    if (start?.tree === undefined) throw new Error('no such turn');
    const restores = await otherRestores(await this.shadow(), 'session', () => this.otherOperations);
    const { pairs } = ownSpans(turns, [...this.others, ...restores], now, await readSaves(this.#saves));
    const checkpoint = { ...start, tree: start.tree };
    return planRestore({ shadow: await this.shadow(), now, checkpoint, pairs });
  }

  async begin(
    plan: CarryPlan,
    choices: Readonly<Record<string, Choice>> = {},
    id: string = randomUUID(),
  ): Promise<Operation> {
    const shadow = await this.shadow();
    const { operations: directory } = this;
    return beginCarry({ shadow, plan, directory, session: 'session', at: Date.now(), choices, id });
  }

  async run(operation: Operation, onStep?: (path: string) => void): Promise<EndedOperation> {
    return runCarry({
      shadow: await this.shadow(),
      operation,
      directory: this.operations,
      now: Date.now,
      onStep,
    });
  }

  async restore(from = 0, choices: Readonly<Record<string, Choice>> = {}) {
    const plan = await this.plan(from);
    const done = await this.run(await this.begin(plan, choices));
    return { plan, done };
  }

  async undo(operation: Operation): Promise<EndedOperation> {
    const { tree: now } = await this.record('session', createdPaths(operation));
    const plan = await planUndo(await this.shadow(), operation, now);
    return this.run(await this.begin(plan));
  }
}
