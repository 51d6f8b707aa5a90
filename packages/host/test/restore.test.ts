import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Output } from '@tugdeck/drivers/kit/port';
import { createGate, scriptedDriver } from '@tugdeck/drivers/kit/scripted';
import { decide, REFUSALS } from '@tugdeck/protocol/conversation/decide';
import type { ToolState } from '@tugdeck/protocol/conversation/entries';
import { entriesFrom } from '@tugdeck/protocol/conversation/entry-store';
import { fold } from '@tugdeck/protocol/conversation/fold';
import type { RestorePreview } from '@tugdeck/protocol/conversation/restore';
import { isAside, openRestore } from '@tugdeck/protocol/conversation/restore-state';
import { NO_USAGE, type Todo } from '@tugdeck/protocol/conversation/session-info';
import type { Conversation } from '@tugdeck/protocol/conversation/state';
import { fromSnapshot, takeSnapshot } from '@tugdeck/protocol/conversation/window';
import { silentLog, temporaryHome } from '@tugdeck/testkit/temporary-home';
import { isFullTier } from '@tugdeck/testkit/tiers';
import { TurnTrees } from '@tugdeck/trees/turn-trees';
import { expect, test } from 'vitest';
import { RestoreFiles } from '../src/restore-files.ts';
import { sessionStart } from '../src/session-start.ts';
import { type CommandInput, type Fixture, hostFixture, refold } from './host-fixture.ts';

const root = temporaryHome('td-restore-');
let count = 0;

const rested = (state: Conversation) => !state.turn && state.queue.length === 0 && state.turns.length > 0;
const prompts = (state: Conversation) =>
  [...entriesFrom(state.entries)].filter((entry) => entry.kind === 'user');
const notices = (state: Conversation) =>
  [...entriesFrom(state.entries)].flatMap((entry) => (entry.kind === 'notice' ? [entry.text] : []));
const shown = (state: Conversation) =>
  prompts(state)
    .filter(({ seq }) => !isAside(state, seq))
    .map(({ text }) => text);

/** A session host in a real project. The scripted agent writes the prompt's text into `agent.txt`. */
class Bench {
  readonly directory: string;
  readonly data: string;
  readonly trees: TurnTrees;
  readonly files: RestoreFiles;
  onStep: ((step: string) => void) | undefined;
  /** The agent's to-dos in its next turns. */
  todos: Todo[] | undefined;
  /** What else the agent emits in its next turn. */
  outputs: Output[] = [];
  /** Messages that the agent's own session no longer has. */
  missing: Set<string> | undefined;
  fixture: Fixture;
  #number = 0;
  #gate = createGate();

  constructor() {
    count += 1;
    this.directory = join(root, `project-${count}`);
    this.data = join(root, `data-${count}`);
    mkdirSync(this.directory);
    mkdirSync(this.data);
    const file = join(this.data, 'trees.jsonl');
    const session = `session-${count}`;
    this.trees = new TurnTrees({
      home: join(root, 'shadows'),
      project: this.directory,
      session,
      file,
      now: Date.now,
      log: silentLog,
    });
    this.files = new RestoreFiles({
      trees: this.trees,
      session,
      directory: join(this.data, 'restores'),
      fileOf: (id) => (id === session ? file : join(this.data, 'none')),
      directoryOf: (id) => join(this.data, 'none', id),
      saves: join(this.data, 'saves.jsonl'),
      now: Date.now,
      lockMs: 60_000,
      onStep: (step) => this.onStep?.(step),
    });
    this.fixture = this.start();
  }

  start(state?: Conversation): Fixture {
    const scripted = scriptedDriver({
      start: (run) => [
        {
          step: 'emit',
          outputs: [
            {
              kind: 'session.described',
              facts: {
                agentSession: `agent-${run}`,
                canFork: 'anywhere',
                ...(run === 1 ? { agentTitle: 'Search', mode: 'ask', model: 'large' } : {}),
              },
            },
            ...(run === 1 ? [{ kind: 'usage.updated' as const, usage: { ...NO_USAGE, costUsd: 0.25 } }] : []),
          ],
        },
        { step: 'ready' },
      ],
      turn: () => [
        { step: 'delivered' },
        {
          step: 'emit',
          outputs: [
            ...(this.todos === undefined ? [] : [{ kind: 'todos.replaced' as const, todos: this.todos }]),
            ...this.outputs.splice(0),
          ],
        },
        { step: 'gate', gate: this.#gate },
        { step: 'text', pieces: ['done'] },
        { step: 'end' },
      ],
    });
    const driver = Object.assign(scripted, { missingFrom: () => this.missing });
    this.fixture = hostFixture(
      {},
      {
        driver,
        trees: this.trees,
        restores: this.files,
        timings: { treeWaitMs: 600_000 },
        ...(state ? { state } : {}),
      },
    );
    return this.fixture;
  }

  write(name: string, text: string): void {
    writeFileSync(join(this.directory, name), text);
  }

  read(name: string): string {
    return readFileSync(join(this.directory, name), 'utf8');
  }

  /** Sends a prompt; `work` is done by the agent during its turn. */
  async turn(text: string, work: () => void): Promise<string> {
    this.#number += 1;
    const id = `10000000-0000-4000-8000-${String(count * 1000 + this.#number).padStart(12, '0')}`;
    const before = this.fixture.host.state.turns.length;
    this.#gate = createGate();
    const running = this.fixture.until(({ turn }) => turn !== null);
    this.fixture.command({ kind: 'prompt.send', id, text });
    await running;
    work();
    this.#gate.open();
    await this.fixture.until((state) => rested(state) && state.turns.length > before);
    await this.trees.settled();
    return id;
  }

  async command(command: CommandInput): Promise<{ refusal?: string | undefined; code?: string }> {
    this.#number += 1;
    const id = `20000000-0000-4000-8000-${String(count * 1000 + this.#number).padStart(12, '0')}`;
    const { client, host } = this.fixture;
    return new Promise((resolve) => {
      const stop = client.onMessage(() => {
        const message = client.messages.at(-1);
        const isAnswer = message?.type === 'receipt' || message?.type === 'error';
        if (!isAnswer || message.command !== id) return;
        stop();
        resolve(message.type === 'error' ? { code: message.code } : { refusal: message.refusal });
      });
      host.handle(client, { type: 'command', command: { id, ...command } as never });
    });
  }

  preview(about: { entry?: string; restore?: string }): Promise<RestorePreview> {
    this.#number += 1;
    const id = `30000000-0000-4000-8000-${String(count * 1000 + this.#number).padStart(12, '0')}`;
    const { client, host } = this.fixture;
    return new Promise((resolve, reject) => {
      const stop = client.onMessage(() => {
        const message = client.messages.at(-1);
        if (message?.type === 'error' && message.command === id) reject(new Error(message.code));
        if (message?.type !== 'preview' || message.id !== id) return;
        stop();
        resolve(message.preview);
      });
      host.handle(client, { type: 'preview', id, ...about });
    });
  }

  get state(): Conversation {
    return this.fixture.host.state;
  }
}

const BOTH = { files: true, conversation: true };
const FILES = { files: true, conversation: false };

async function twoTurns(): Promise<{ bench: Bench; second: string }> {
  const bench = new Bench();
  bench.write('a.txt', 'one\n');
  await bench.turn('first', () => bench.write('a.txt', 'two\n'));
  bench.write('mine.txt', 'mine\n');
  const second = await bench.turn('second', () => {
    bench.write('a.txt', 'three\n');
    bench.write('made.txt', 'agent\n');
  });
  return { bench, second };
}

test('T11 T16 T22 restores files and conversation to a message, and undoes both', async () => {
  const { bench, second } = await twoTurns();
  const preview = await bench.preview({ entry: second });
  expect(preview.files).toEqual([
    { path: 'a.txt', state: 'restored' },
    { path: 'made.txt', state: 'removed' },
  ]);
  expect(preview).toMatchObject({ memory: 'fork', late: false, counts: { restored: 1, removed: 1 } });
  const before = [...entriesFrom(bench.state.entries)];
  const { plan } = preview;
  expect(await bench.command({ kind: 'restore.to', entry: second, parts: BOTH, plan })).toEqual({});
  expect(bench.read('a.txt')).toBe('two\n');
  expect(existsSync(join(bench.directory, 'made.txt'))).toBe(false);
  expect(bench.read('mine.txt')).toBe('mine\n');
  expect(shown(bench.state)).toEqual(['first']);
  // Nothing left the journal.
  expect([...entriesFrom(bench.state.entries)]).toEqual(before);
  const [restore] = bench.state.restores;
  expect(restore).toMatchObject({ state: 'done', counts: { written: 1, removed: 1, left: 0 } });
  expect(bench.state.memory).toEqual({ kind: 'fork', id: 'agent-1', at: second });

  // T24 T26: the next prompt starts the agent from a fork; the former session is not resumed.
  await bench.turn('second, differently', () => bench.write('a.txt', 'other\n'));
  const starts = bench.fixture.driver.calls.starts.map(({ session }) => session);
  expect(starts.map(({ kind }) => kind)).toEqual(['new', 'fork']);
  expect(starts[1]).toEqual({ kind: 'fork', id: 'agent-1', at: second });
  expect(bench.state.memory).toBeNull();
  expect(shown(bench.state)).toEqual(['first', 'second, differently']);

  // T14 T15: undo brings files and messages back; what came since is set aside.
  const undo = await bench.preview({ restore: restore?.id ?? '' });
  expect(undo.counts).toEqual({ conflict: 1, recreated: 1 });
  expect(await bench.command({ kind: 'restore.undo', restore: restore?.id ?? '' })).toEqual({});
  expect(bench.read('made.txt')).toBe('agent\n');
  expect(bench.read('a.txt')).toBe('other\n');
  // An undo has no preview on the page, so a notice names the file that keeps a later edit.
  expect(notices(bench.state)).toEqual(['Not restored: a.txt (changed since)']);
  expect(shown(bench.state)).toEqual(['first', 'second']);
  expect(bench.state.facts.agentSession).toBe('agent-1');
  expect(await bench.command({ kind: 'restore.undo', restore: restore?.id ?? '' })).toEqual({
    refusal: 'RESTORE_NOTHING',
  });

  // T15: redo.
  const undone = bench.state.restores.at(-1)?.id ?? '';
  expect(await bench.command({ kind: 'restore.undo', restore: undone })).toEqual({});
  expect(shown(bench.state)).toEqual(['first', 'second, differently']);
  expect(existsSync(join(bench.directory, 'made.txt'))).toBe(false);
  // T29: every page folds the same.
  expect(refold(bench.fixture.lines).asides).toEqual(bench.state.asides);
  const snapshot = takeSnapshot(bench.state, { tail: 1, receipts: false });
  expect(fromSnapshot(snapshot)).toMatchObject({
    asides: bench.state.asides,
    restores: bench.state.restores,
  });
});

test('T11 the preview lists the commands that ran or may have run, not one that was denied', async () => {
  const bench = new Bench();
  const shell = (title: string, state: ToolState): Output => ({
    kind: 'entry.opened',
    entry: { id: title, kind: 'tool', status: 'complete', name: 'Bash', title, toolKind: 'shell', state },
  });
  bench.outputs = [shell('npm test', 'done'), shell('npm publish', 'denied'), shell('make', 'interrupted')];
  const entry = await bench.turn('first', () => undefined);
  expect((await bench.preview({ entry })).commands).toEqual(['npm test', 'make']);
});

test('T28 a restore keeps mode, model, options, cost and title', async () => {
  const { bench, second } = await twoTurns();
  const { facts, usage } = bench.state;
  expect(facts).toMatchObject({ agentTitle: 'Search', mode: 'ask', model: 'large' });
  expect(usage.costUsd).toBe(0.25);
  const { plan } = await bench.preview({ entry: second });
  expect(await bench.command({ kind: 'restore.to', entry: second, parts: BOTH, plan })).toEqual({});
  const kept = ({ agentTitle, mode, model, options }: typeof facts) => ({ agentTitle, mode, model, options });
  expect(kept(bench.state.facts)).toEqual(kept(facts));
  expect(bench.state.usage).toEqual(usage);
});

test('T28 to-dos become what they were before the message, and those before the restore by undo', async () => {
  const bench = new Bench();
  bench.write('a.txt', 'one\n');
  const list = (state: Todo['state']): Todo[] => [{ id: '1', text: 'Index', state }];
  bench.todos = list('pending');
  await bench.turn('first', () => undefined);
  bench.todos = list('done');
  const second = await bench.turn('second', () => bench.write('a.txt', 'two\n'));
  expect(bench.state.todos).toEqual(list('done'));
  for (const parts of [BOTH, { files: false, conversation: true }]) {
    const { plan } = await bench.preview({ entry: second });
    const command = { kind: 'restore.to', entry: second, parts, ...(parts.files ? { plan } : {}) } as const;
    expect(await bench.command(command)).toEqual({});
    expect(bench.state.todos).toEqual(list('pending'));
    for (const expected of ['done', 'pending', 'done'] as const) {
      const restore = bench.state.restores.at(-1)?.id ?? '';
      expect(await bench.command({ kind: 'restore.undo', restore })).toEqual({});
      expect(bench.state.todos).toEqual(list(expected));
    }
  }
  // Files alone: the agent still has its to-dos.
  const { plan } = await bench.preview({ entry: second });
  expect(await bench.command({ kind: 'restore.to', entry: second, parts: FILES, plan })).toEqual({});
  expect(bench.state.todos).toEqual(list('done'));
  expect(refold(bench.fixture.lines).todos).toEqual(list('done'));
});

test('T16 restores the conversation alone, or the files alone', async () => {
  const { bench, second } = await twoTurns();
  const { plan } = await bench.preview({ entry: second });
  expect(await bench.command({ kind: 'restore.to', entry: second, parts: FILES, plan })).toEqual({});
  expect(bench.read('a.txt')).toBe('two\n');
  expect(shown(bench.state)).toEqual(['first', 'second']);
  expect(bench.state.memory).toBeNull();
  const conversation = { files: false, conversation: true };
  expect(await bench.command({ kind: 'restore.to', entry: second, parts: conversation })).toEqual({});
  expect(shown(bench.state)).toEqual(['first']);
  const last = bench.state.restores.at(-1)?.id ?? '';
  expect(await bench.command({ kind: 'restore.undo', restore: last })).toEqual({});
  expect(shown(bench.state)).toEqual(['first', 'second']);
  expect(bench.read('a.txt')).toBe('two\n');
});

test('T13 T17 refuses a plan that no longer fits, a running turn, a queue, and a message without a checkpoint', async () => {
  const { bench, second } = await twoTurns();
  const { plan } = await bench.preview({ entry: second });
  bench.write('a.txt', 'changed since\n');
  const to = { kind: 'restore.to', entry: second, parts: BOTH } as const;
  expect(await bench.command({ ...to, plan })).toEqual({ refusal: 'RESTORE_CHANGED' });
  expect(bench.read('made.txt')).toBe('agent\n');
  expect(bench.state.restores).toEqual([]);
  expect(await bench.command(to)).toEqual({ refusal: 'RESTORE_CHANGED' });
  const nothing = { files: false, conversation: false };
  expect(await bench.command({ ...to, parts: nothing })).toEqual({ refusal: 'RESTORE_NOTHING' });
  expect(await bench.command({ ...to, entry: 'unknown' })).toEqual({ refusal: 'RESTORE_NOTHING' });
  const refusals: unknown[] = [];
  await bench.turn('third', () => {
    void bench.command({ ...to, plan }).then((answer) => refusals.push(answer));
  });
  expect(refusals).toEqual([{ refusal: 'RESTORE_TURN_RUNNING' }]);
  const queue = [{ id: 'queued', text: 'fourth' }] as never;
  const command = { ...to, id: '40000000-0000-4000-8000-000000000000' };
  expect(decide({ ...bench.state, queue }, command)).toEqual({ refusal: 'RESTORE_QUEUE' });
  writeFileSync(join(bench.data, 'trees.jsonl'), '');
  const without = await bench.preview({ entry: second });
  expect([without.plan, without.missing]).toEqual([undefined, REFUSALS.RESTORE_NO_TREE]);
  expect(await bench.command({ ...to, plan })).toEqual({ refusal: 'RESTORE_NO_TREE' });
  expect(bench.read('made.txt')).toBe('agent\n');
});

test('T19 a restore that a full disk cut off is open; prompts are refused until it is finished, undone or left', async () => {
  for (const way of ['restore.finish', 'restore.undo', 'restore.leave'] as const) {
    const { bench, second } = await twoTurns();
    const { plan } = await bench.preview({ entry: second });
    bench.onStep = (step) => {
      if (step === 'write 2') throw Object.assign(new Error('full'), { code: 'ENOSPC' });
    };
    const answer = await bench.command({ kind: 'restore.to', entry: second, parts: BOTH, plan });
    expect(answer.code).toBeDefined();
    bench.onStep = undefined;
    // The host is killed here, and the next one reads the journal.
    const journal = refold(bench.fixture.lines);
    bench.start(journal);
    const open = openRestore(bench.state)?.id ?? '';
    expect(bench.fixture.command({ kind: 'prompt.send', text: 'next' }).refusal).toBe('RESTORE_OPEN');
    expect(await bench.command({ kind: way, restore: open })).toEqual({});
    expect(openRestore(bench.state)).toBeUndefined();
    const texts = [bench.read('a.txt'), existsSync(join(bench.directory, 'made.txt')), shown(bench.state)];
    if (way === 'restore.finish') expect(texts).toEqual(['two\n', false, ['first']]);
    if (way === 'restore.undo') expect(texts).toEqual(['three\n', true, ['first', 'second']]);
    if (way === 'restore.leave') expect(texts).toEqual(['two\n', true, ['first', 'second']]);
    expect(await bench.command({ kind: way, restore: open })).toEqual({ refusal: 'RESTORE_NOTHING' });
  }
});

test('T19 a host that was killed between the last file and the journal settles the restore', async () => {
  const { bench, second } = await twoTurns();
  const { plan } = await bench.preview({ entry: second });
  await bench.command({ kind: 'restore.to', entry: second, parts: BOTH, plan });
  const lines = bench.fixture.lines.flatMap((line) => ('changes' in line ? line.changes : []));
  const began = lines.findIndex(({ kind }) => kind === 'restore.began');
  const journal = refold([{ changes: lines.slice(0, began + 1) }]);
  expect(openRestore(journal)).toBeDefined();
  bench.start(journal);
  expect(openRestore(bench.state)).toBeUndefined();
  expect(bench.state.restores.at(-1)?.state).toBe('done');
  expect(shown(bench.state)).toEqual(['first']);
});

test('T19 a host that is killed at any step leaves whole files and an operation that can be finished or undone', async () => {
  const all = ['planned', 'kept', 'journaled', 'write 1', 'replace 1', 'write 2', 'applied', 'ended'];
  const steps = isFullTier ? all : ['kept', 'replace 1', 'ended'];
  for (const at of steps) {
    const { bench, second } = await twoTurns();
    const { plan } = await bench.preview({ entry: second });
    let journal: Conversation | undefined;
    // Like a kill: whatever this host writes afterwards is not part of the journal that the next one reads.
    bench.onStep = (step) => {
      if (step !== at) return;
      journal = refold(bench.fixture.lines);
      throw new Error('killed');
    };
    await bench.command({ kind: 'restore.to', entry: second, parts: BOTH, plan });
    bench.onStep = undefined;
    if (!journal) throw new Error(`never at ${at}`);
    expect(['two\n', 'three\n'], at).toContain(bench.read('a.txt'));
    bench.start(journal);
    const open = openRestore(bench.state);
    const isBegun = !['planned', 'kept'].includes(at);
    // When everything was done, the next host settles it by itself.
    expect(open !== undefined, at).toBe(isBegun && at !== 'ended');
    if (open) expect(await bench.command({ kind: 'restore.finish', restore: open.id })).toEqual({});
    expect(shown(bench.state), at).toEqual(isBegun ? ['first'] : ['first', 'second']);
    expect(bench.read('a.txt'), at).toBe(isBegun ? 'two\n' : 'three\n');
    if (isBegun) {
      const restore = bench.state.restores.at(-1)?.id ?? '';
      expect(await bench.command({ kind: 'restore.undo', restore })).toEqual({});
    }
    expect(bench.read('a.txt'), at).toBe('three\n');
    expect(shown(bench.state), at).toEqual(['first', 'second']);
    // Whatever happened before, the next restore reverts all of it.
    const again = await bench.preview({ entry: second });
    expect(again.counts, at).toEqual({ restored: 1, removed: 1 });
  }
});

test('T19 T21 after a restore that was left unfinished or could not write a file, the next one does the rest', async () => {
  const { bench, second } = await twoTurns();
  const restore = async () => {
    const { plan, counts } = await bench.preview({ entry: second });
    await bench.command({ kind: 'restore.to', entry: second, parts: FILES, plan });
    return counts;
  };
  bench.onStep = (step) => {
    // Cut off after `a.txt`, before `made.txt`.
    if (step === 'write 2') throw Object.assign(new Error('full'), { code: 'ENOSPC' });
  };
  expect(await restore()).toEqual({ restored: 1, removed: 1 });
  bench.onStep = undefined;
  const open = openRestore(bench.state)?.id ?? '';
  expect(await bench.command({ kind: 'restore.leave', restore: open })).toEqual({});
  expect([bench.read('a.txt'), bench.read('made.txt')]).toEqual(['two\n', 'agent\n']);
  // The user saves the file between plan and write.
  bench.onStep = (step) => {
    if (step === 'planned') bench.write('made.txt', 'agent\ntyped\n');
  };
  expect(await restore()).toEqual({ removed: 1 });
  expect(bench.state.restores.at(-1)?.state).toBe('partial');
  bench.write('made.txt', 'agent\n');
  bench.onStep = undefined;
  expect(await restore()).toEqual({ removed: 1 });
  expect(bench.state.restores.at(-1)?.state).toBe('done');
  expect(existsSync(join(bench.directory, 'made.txt'))).toBe(false);
});

test('T30 T31 T32 the branch moves back with the files if asked, and forward again by undo, also after a kill', async () => {
  for (const at of [undefined, 'branch', 'applied']) {
    const bench = new Bench();
    const git = (...args: string[]) =>
      execFileSync('git', args, { cwd: bench.directory, encoding: 'utf8' }).trim();
    bench.write('a.txt', 'one\n');
    git('init', '-q');
    git('add', '-A');
    git('commit', '-qm', 'first');
    const before = git('rev-parse', 'HEAD');
    const entry = await bench.turn('commit it', () => {
      bench.write('a.txt', 'two\n');
      git('commit', '-qam', 'by the agent');
    });
    const tip = git('rev-parse', 'HEAD');
    const { plan, branch, commits } = await bench.preview({ entry });
    expect(branch).toEqual({ name: git('branch', '--show-current'), tip, pushed: 0 });
    expect(commits).toMatchObject([{ commit: tip, subject: 'by the agent' }]);
    const parts = { files: true, conversation: false, branch: true };
    // Refused, because the branch is not at the commit that the preview showed.
    const stale = await bench.command({ kind: 'restore.to', entry, parts, plan, tip: before });
    expect(stale).toEqual({ refusal: 'RESTORE_CHANGED' });
    let journal: Conversation | undefined;
    bench.onStep = (step) => {
      if (step !== at) return;
      journal = refold(bench.fixture.lines);
      throw new Error('killed');
    };
    await bench.command({ kind: 'restore.to', entry, parts, plan, tip });
    bench.onStep = undefined;
    if (at !== undefined) {
      expect(git('rev-parse', 'HEAD'), at).toBe(at === 'branch' ? tip : before);
      if (!journal) throw new Error(`never at ${at}`);
      bench.start(journal);
      const restore = openRestore(bench.state)?.id ?? '';
      expect(await bench.command({ kind: 'restore.finish', restore })).toEqual({});
    }
    expect(git('rev-parse', 'HEAD')).toBe(before);
    expect(bench.read('a.txt')).toBe('one\n');
    expect(git('status', '--porcelain')).toBe('');
    const restore = bench.state.restores.at(-1);
    expect(restore).toMatchObject({ state: 'done', counts: { branch: 1 } });
    expect(await bench.command({ kind: 'restore.undo', restore: restore?.id ?? '' })).toEqual({});
    expect(git('rev-parse', 'HEAD')).toBe(tip);
    expect(bench.read('a.txt')).toBe('two\n');
    expect(git('status', '--porcelain')).toBe('');
  }
});

test('T26 a fork that fails starts a new session with a notice, once', async () => {
  const { bench, second } = await twoTurns();
  await bench.command({ kind: 'restore.to', entry: second, parts: { files: false, conversation: true } });
  expect(bench.state.memory?.kind).toBe('fork');
  // As the runner journals it after the agent refused the fork.
  const changes = [
    { kind: 'session.described', facts: { agentSession: '' } },
    { kind: 'memory.changed', memory: { kind: 'new' } },
  ] as const;
  const state = changes.reduce(
    (one, body) => fold(one, { ...body, v: one.v + 1, at: 1 } as never),
    bench.state,
  );
  expect(sessionStart(state, undefined).kind).toBe('new');
});

test('T27 restores twice before the fork has a turn: both fork the session that knows the messages', async () => {
  const { bench, second } = await twoTurns();
  const first = prompts(bench.state)[0]?.id ?? '';
  const alone = { files: false, conversation: true };
  await bench.command({ kind: 'restore.to', entry: second, parts: alone });
  // The composer has the focus, so the agent starts, and reports the fork.
  bench.fixture.host.handle(bench.fixture.client, { type: 'wake' });
  await bench.fixture.until(({ facts }) => facts.agentSession === 'agent-2');
  expect(bench.state.memory).toMatchObject({ kind: 'fork', id: 'agent-1' });
  expect((await bench.preview({ entry: first })).memory).toBe('new');
  const again = bench.state.restores.at(-1)?.id ?? '';
  await bench.command({ kind: 'restore.undo', restore: again });
  expect(bench.state).toMatchObject({ memory: null, facts: { agentSession: 'agent-1' } });
});

test('T25 an agent that can not fork gets a new session, and the preview says so', async () => {
  const { bench, second } = await twoTurns();
  const state = { ...bench.state, facts: { ...bench.state.facts, canFork: 'now' as const } };
  bench.start(state);
  const preview = await bench.preview({ entry: second });
  expect(preview.memory).toBe('told');
  await bench.command({ kind: 'restore.to', entry: second, parts: BOTH, plan: preview.plan });
  expect(bench.state.memory).toMatchObject({ kind: 'told' });
});

test("T38 after the agent's own rewind its forgotten messages are marked, and files it changed between turns are somebody else's", async () => {
  const { bench, second } = await twoTurns();
  const first = prompts(bench.state)[0]?.id ?? '';
  // In its own interface, outside of our turns: the last turn's files go back, and it writes another one.
  bench.write('a.txt', 'two\n');
  rmSync(join(bench.directory, 'made.txt'));
  bench.write('rewound.txt', 'by the rewind\n');
  bench.missing = new Set([second]);
  bench.start(bench.state);
  expect(prompts(bench.state).map(({ forgotten = false }) => forgotten)).toEqual([false, true]);
  expect(shown(bench.state)).toEqual(['first', 'second']);
  // The agent can't fork before a message that it does not have.
  expect(await bench.preview({ entry: second })).toMatchObject({ files: [], memory: 'told' });
  const { plan, files } = await bench.preview({ entry: first });
  // The line came back by somebody else's hand, so only the user can decide.
  expect(files).toEqual([{ path: 'a.txt', state: 'conflict' }]);
  const command = { kind: 'restore.to', entry: first, parts: FILES, plan } as const;
  expect(await bench.command(command)).toEqual({ refusal: 'RESTORE_NOTHING' });
  expect(await bench.command({ ...command, choices: { 'a.txt': 'checkpoint' } })).toEqual({});
  expect(bench.read('a.txt')).toBe('one\n');
  expect(bench.read('rewound.txt')).toBe('by the rewind\n');
  expect(bench.read('mine.txt')).toBe('mine\n');
});

test('T21 X33 a folder swapped for a link between plan and write is not followed; its file is named', async () => {
  const bench = new Bench();
  const outside = join(bench.data, 'outside');
  mkdirSync(outside);
  mkdirSync(join(bench.directory, 'src'));
  for (const name of ['src/a.txt', 'b.txt']) bench.write(name, 'one\n');
  writeFileSync(join(outside, 'a.txt'), 'two\n');
  const first = await bench.turn('first', () => {
    for (const name of ['src/a.txt', 'b.txt']) bench.write(name, 'two\n');
  });
  const { plan } = await bench.preview({ entry: first });
  bench.onStep = (step) => {
    if (step !== 'journaled') return;
    renameSync(join(bench.directory, 'src'), join(bench.directory, 'moved'));
    symlinkSync(outside, join(bench.directory, 'src'));
  };
  await bench.command({ kind: 'restore.to', entry: first, parts: FILES, plan });
  expect(readFileSync(join(outside, 'a.txt'), 'utf8')).toBe('two\n');
  expect([bench.read('moved/a.txt'), bench.read('b.txt')]).toEqual(['two\n', 'one\n']);
  expect(bench.state.restores.at(-1)).toMatchObject({ state: 'partial', counts: { written: 1, left: 1 } });
  const notice = [...entriesFrom(bench.state.entries)].at(-1);
  expect(notice).toMatchObject({ kind: 'notice', text: 'Not restored: src/a.txt (its folder moved)' });
});

test('T4 a turn whose end was not recorded ends where the next restore began', async () => {
  const { bench, second } = await twoTurns();
  const file = join(bench.data, 'trees.jsonl');
  const lines = readFileSync(file, 'utf8').split('\n');
  // As after a kill between the turn and its record.
  writeFileSync(
    file,
    lines
      .slice(
        0,
        lines.findLastIndex((line) => line.includes('"end"')),
      )
      .concat('')
      .join('\n'),
  );
  bench.onStep = (step) => {
    if (step === 'write 2') throw Object.assign(new Error('full'), { code: 'ENOSPC' });
  };
  const { plan } = await bench.preview({ entry: second });
  await bench.command({ kind: 'restore.to', entry: second, parts: FILES, plan });
  bench.onStep = undefined;
  const open = openRestore(bench.state)?.id ?? '';
  expect(await bench.command({ kind: 'restore.leave', restore: open })).toEqual({});
  expect(bench.read('a.txt')).toBe('two\n');
  expect((await bench.preview({ entry: second })).files).toEqual([{ path: 'made.txt', state: 'removed' }]);
});
