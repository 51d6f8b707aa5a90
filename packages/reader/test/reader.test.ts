import { readFileSync, rmSync, statSync, unlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { externalId } from '@tugdeck/local/external-id';
import type { Entry } from '@tugdeck/protocol/conversation/entries';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { bundleReader, exchange, ReaderPlace, type TestReader } from './reader-place.ts';

const ONE = '11111111-1111-4111-8111-111111111111';
const TWO = '22222222-2222-4222-8222-222222222222';
const ROW = externalId('claude', ONE);

let program: string;
let place: ReaderPlace;
beforeAll(async () => {
  program = await bundleReader();
});
afterAll(() => rmSync(dirname(program), { recursive: true }));
beforeEach(() => {
  place = new ReaderPlace(program);
});
afterEach(() => place.clear());

function fence(): string {
  const file = place.transcript(ONE);
  const first = exchange(ONE, {
    prompt: 'Mend the garden fence',
    answer: 'I looked at the *palisade* first.',
    command: 'ls palisades',
    output: 'oak.txt\nzirconium-gate.txt',
  });
  place.write(file, first.lines);
  return first.last;
}

const textOf = (entry: Entry | undefined): string => (entry && 'text' in entry ? entry.text : '');

async function openView(reader: TestReader, view = 1): Promise<Entry[]> {
  await reader.until('its row', () => reader.rows.get(ROW));
  reader.send({ type: 'view.open', view, session: ROW });
  reader.send({ type: 'view.ask', view, request: { type: 'follow' } });
  const snapshot = await reader.until('a snapshot', () =>
    reader.messagesOf(view).find((message) => message.type === 'snapshot'),
  );
  return snapshot.type === 'snapshot' ? snapshot.snapshot.entries : [];
}

describe('external sessions', () => {
  test('A40 lists one with place and title, reads it without an agent, and follows it live', async () => {
    const last = fence();
    const reader = place.start();
    const row = await reader.until('its row', () => reader.rows.get(ROW));
    expect(row).toMatchObject({
      agent: 'claude',
      session: ONE,
      directory: '/work/project',
      title: 'Mend the garden fence',
    });
    const entries = await openView(reader);
    expect(entries.map(({ kind }) => kind)).toEqual(['user', 'tool', 'text']);
    expect(textOf(entries[2])).toBe('I looked at the *palisade* first.');

    const more = exchange(ONE, { prompt: 'And paint it', answer: 'Painted.', parent: last });
    place.append(place.transcript(ONE), more.lines);
    await reader.until('the appended line', () =>
      reader.messagesOf(1).some((message) => {
        if (message.type !== 'changes') return false;
        return message.changes.some(
          (change) => change.kind === 'entry.opened' && textOf(change.entry as Entry) === 'Painted.',
        );
      }),
    );
    await reader.until('the end of the turn', () =>
      reader
        .messagesOf(1)
        .some(
          (message) =>
            message.type === 'changes' && message.changes.some(({ kind }) => kind === 'turn.ended'),
        ),
    );
    await reader.until('its new time', () => (reader.rows.get(ROW)?.activeAt ?? 0) > row.activeAt);
  });

  test('A40 a session is free once its last turn is complete, and A42 reports external turns in ours', async () => {
    const last = fence();
    const reader = place.start();
    await reader.until('its row', () => reader.rows.get(ROW));
    const isHeld = async (id: string) => {
      reader.send({ type: 'held', id, session: ROW });
      const held = await reader.until('an answer', () =>
        reader.messages.find((message) => message.type === 'held' && message.id === id),
      );
      return held.type === 'held' && held.elsewhere;
    };
    // Written a moment ago, and complete.
    expect(await isHeld('complete')).toBe(false);
    const more = exchange(ONE, { prompt: 'And paint it', answer: 'Painted.', parent: last });
    const [prompt, ...rest] = more.lines.map((line) => ({ ...line, entrypoint: 'cli' }));
    place.append(place.transcript(ONE), [prompt ?? {}]);
    expect(await isHeld('begun')).toBe(true);

    // Adopted: our session has the row that was the agent's.
    const own = { id: ROW, agent: 'claude', directory: '/work/project', title: '', activeAt: 1 };
    reader.send({ type: 'own', sessions: [{ ...own, agentSessions: [ONE] }] });
    const external = () => reader.messages.filter((message) => message.type === 'external-turn');
    place.append(place.transcript(ONE), rest);
    expect(await isHeld('complete again')).toBe(false);
    // The prompt was in the file when the session was adopted.
    expect(external()).toEqual([]);
    const third = exchange(ONE, { prompt: 'Once more', answer: 'Done.', parent: more.last });
    const lines = third.lines.map((line) => ({ ...line, entrypoint: 'cli' }));
    place.append(place.transcript(ONE), lines.slice(0, 1));
    await isHeld('third begun');
    expect(external()).toEqual([]);
    place.append(place.transcript(ONE), lines.slice(1));
    await reader.until('the third turn', () => external().length > 0);
    const ours = exchange(ONE, { prompt: 'Mine', answer: 'Yes.', parent: third.last });
    place.append(
      place.transcript(ONE),
      ours.lines.map((line) => ({ ...line, entrypoint: 'tugdeck' })),
    );
    await isHeld('ours');
    expect(external()).toEqual([{ type: 'external-turn', session: ROW }]);
  });

  test('A40 adds and removes sessions in the list while it runs', async () => {
    const reader = place.start();
    await reader.indexed(0);
    fence();
    await reader.until('its row', () => reader.rows.get(ROW));
    unlinkSync(place.transcript(ONE));
    await reader.until('its end', () => !reader.rows.has(ROW));
    expect((await reader.search({ query: 'palisade' })).hits).toEqual([]);
  });

  test('A40 shows the last screen of a long one first, older entries in pages, all in order', async () => {
    const file = place.transcript(ONE);
    const lines: object[] = [];
    let parent: string | null = null;
    for (let turn = 0; turn < 220; turn++) {
      const output = `${turn} `.repeat(3000);
      const made = exchange(ONE, {
        prompt: `ask ${turn}`,
        answer: `say ${turn}`,
        parent,
        command: 'x',
        output,
      });
      lines.push(...made.lines);
      parent = made.last;
    }
    place.write(file, lines);
    expect(statSync(file).size).toBeGreaterThan(2_500_000);
    const reader = place.start();
    let entries = await openView(reader);
    expect(textOf(entries.at(-1))).toBe('say 219');
    expect(entries.length).toBeLessThan(300);
    for (;;) {
      const before = entries[0]?.seq ?? 0;
      const seen = reader.messagesOf(1).length;
      reader.send({ type: 'view.ask', view: 1, request: { type: 'entries', before, limit: 100 } });
      const answer = await reader.until('a page', () =>
        reader
          .messagesOf(1)
          .slice(seen)
          .find(({ type }) => type === 'entries'),
      );
      if (answer.type !== 'entries' || answer.page.entries.length === 0) break;
      expect(answer.page).toMatchObject({ to: before, from: before - answer.page.entries.length });
      entries = [...answer.page.entries, ...entries];
    }
    const prompts = entries.filter(({ kind }) => kind === 'user').map(textOf);
    expect(prompts).toEqual(Array.from({ length: 220 }, (_, turn) => `ask ${turn}`));
    expect(entries).toHaveLength(660);
    expect(entries.every(({ seq }, index) => seq === (entries[0]?.seq ?? 0) + index)).toBe(true);
    expect(entries.filter((entry) => entry.kind === 'tool' && entry.state !== 'done')).toEqual([]);
  });

  test('A40 sends another branch as a new edition', async () => {
    fence();
    const reader = place.start();
    const [first] = await openView(reader);
    const branch = exchange(ONE, {
      prompt: 'Rather build a wall',
      answer: 'A wall.',
      parent: first?.id ?? null,
    });
    place.append(place.transcript(ONE), branch.lines);
    const editions = await reader.until('a second snapshot', () => {
      const all = reader
        .messagesOf(1)
        .flatMap((message) => (message.type === 'snapshot' ? [message.snapshot] : []));
      return all.length > 1 ? all : undefined;
    });
    expect(new Set(editions.map(({ edition }) => edition)).size).toBe(editions.length);
    expect(editions.at(-1)?.entries.map(textOf)).toEqual([
      'Mend the garden fence',
      'Rather build a wall',
      'A wall.',
    ]);
  });

  test('S2 reports a missing session', async () => {
    const reader = place.start();
    reader.send({ type: 'view.open', view: 1, session: 'nobody' });
    await reader.until('an error', () =>
      reader
        .messagesOf(1)
        .some((message) => message.type === 'error' && message.code === 'SESSION_NOT_FOUND'),
    );
  });
});

describe('search', () => {
  test('S5 finds, marks and filters titles, prompts, answers, tool input and output', async () => {
    fence();
    const other = exchange(TWO, {
      prompt: 'Talk about oak trees',
      answer: 'Oaks grow slowly.',
      cwd: '/work/other/inner',
    });
    place.write(place.transcript(TWO, 'other'), other.lines);
    const reader = place.start();
    await reader.indexed(2);
    const kinds = async (query: string, more: object = {}) =>
      (await reader.search({ query, ...more })).hits.map(({ kind, session }) => [kind, session]);
    expect(await kinds('garden')).toEqual([
      ['title', ROW],
      ['prompt', ROW],
    ]);
    expect(await kinds('palisade')).toEqual([
      ['answer', ROW],
      ['tool', ROW],
    ]);
    expect(await kinds('ZIRCON')).toEqual([['tool', ROW]]);
    expect(await kinds('zircon ')).toEqual([]);
    expect(await kinds('palisade fence')).toEqual([]);
    expect(await kinds('   …')).toEqual([]);
    const oak = { directory: '/work/other' };
    expect((await kinds('oak', oak)).every(([, session]) => session === externalId('claude', TWO))).toBe(
      true,
    );
    expect(await kinds('oak', { kind: 'tool' })).toEqual([['tool', ROW]]);
    expect(await kinds('oak', { agent: 'codex' })).toEqual([]);
    expect(await kinds('oak', { before: 1_000 })).toEqual([]);
    const [hit] = (await reader.search({ query: 'palisade', kind: 'answer' })).hits;
    expect(hit?.snippet.text).toBe('I looked at the *palisade* first.');
    expect(hit?.snippet.found).toEqual([[17, 25]]);
    const entries = await openView(reader);
    expect(entries.map(({ id }) => id)).toContain(hit?.entry);
  });

  test('S5 finds a long word exactly, however many others begin like it', async () => {
    const all = Array.from({ length: 340 }, (_, at) =>
      exchange(ONE, { prompt: `seedlings${at} are planted`, answer: `Done ${at}.` }),
    );
    place.write(
      place.transcript(ONE),
      all.flatMap(({ lines }) => lines),
    );
    const reader = place.start();
    await reader.indexed(1);
    for (const at of [0, 150, 339]) {
      const { hits } = await reader.search({ query: `seedlings${at}`, kind: 'prompt' });
      expect(hits[0]?.snippet.text).toBe(`seedlings${at} are planted`);
    }
  });

  test('S5 no query is an error, and none finds what is not there', async () => {
    fence();
    const other = exchange(TWO, {
      prompt: 'Über das Café\u0301',
      answer: 'Internationalization of functional x-rays.',
    });
    place.write(place.transcript(TWO, 'other'), other.lines);
    const reader = place.start();
    await reader.indexed(2);
    const found = async (query: string, more: object = {}) => {
      const { hits } = await reader.search({ query, ...more });
      for (const { snippet } of hits) expect(snippet.found.length, query).toBeGreaterThan(0);
      return hits.map(({ session, kind }) => `${kind} ${session === ROW ? 1 : 2}`);
    };
    const hostile = [
      '"',
      '""" OR "',
      "'; DROP TABLE entries; --",
      'NEAR(fence palisade, 2)',
      'NEAR(',
      'text : fence',
      '{text} : fence',
      '^fence',
      'fence NOT',
      'NOT',
      'AND OR',
      '(((',
      'fence*',
      '*',
      '-fence',
      '+',
      '\0fence\0',
      '\uD800',
      '\uFFFF',
      '\uE000kprompt',
      'a\uAB70b',
      '𞤀𞤁x',
      '‮fence',
      '%_\\',
      'a '.repeat(100),
      'é'.repeat(200),
    ];
    for (const query of hostile) expect(await found(query), query).toBeInstanceOf(Array);
    // Prefixes of every length, even longer than indexed; words that only begin alike do not match.
    for (const query of ['inter', 'intern', 'internati', 'internationalization']) {
      expect(await found(query), query).toEqual(['answer 2']);
    }
    expect(await found('internationalize')).toEqual([]);
    expect(await found('functions')).toEqual([]);
    expect(await found('CAFE')).toEqual(['title 2', 'prompt 2']);
    expect(await found('uber')).toEqual(['title 2', 'prompt 2']);
    expect(await found('\uE000k')).toEqual([]);
    expect(await found('x')).toEqual(['answer 2']);
    const { at } = (await reader.search({ query: 'palisade', kind: 'answer' })).hits[0] ?? { at: 0 };
    expect(await found('palisade', { kind: 'answer', after: at, before: at })).toEqual(['answer 1']);
    expect(await found('palisade', { kind: 'answer', after: at + 1 })).toEqual([]);
    expect(await found('palisade', { kind: 'prompt' })).toEqual([]);
    expect(await found('palisade', { agent: 'claude', directory: '/work' })).toEqual(['answer 1', 'tool 1']);
    expect(await found('palisade', { directory: '/work/proj' })).toEqual([]);
    expect(await found('palisade', { agent: 'claude" OR "', after: -1e300, before: 1e300 })).toEqual([]);
  });

  test('S6 after a kill and a restart, reads only changes; rebuilds a missing index', async () => {
    const last = fence();
    const other = exchange(TWO, { prompt: 'Something else', answer: 'Yes.' });
    place.write(place.transcript(TWO, 'other'), other.lines);
    const first = place.start();
    expect(await first.indexed(2)).toMatchObject({ read: 2 });
    await first.search({ query: 'palisade' });
    await first.kill();
    const more = exchange(ONE, { prompt: 'More', answer: 'A quixotic plan.', parent: last });
    place.append(place.transcript(ONE), more.lines);
    const second = place.start();
    expect(await second.indexed(2)).toMatchObject({ read: 1 });
    expect((await second.search({ query: 'quixotic' })).hits).toHaveLength(1);
    expect((await second.search({ query: 'palisade' })).hits).toHaveLength(2);
    await second.end();
    for (const name of ['search.db', 'search.db-wal', 'search.db-shm'])
      rmSync(join(place.data, name), { force: true });
    const third = place.start();
    expect(await third.indexed(2)).toMatchObject({ read: 2 });
    expect((await third.search({ query: 'quixotic' })).hits).toHaveLength(1);
  });

  test('S6 rebuilds a file that is not a database', async () => {
    fence();
    const first = place.start();
    await first.indexed(1);
    await first.end();
    const { writeFileSync } = await import('node:fs');
    writeFileSync(join(place.data, 'search.db'), readFileSync(place.transcript(ONE)));
    const second = place.start();
    await second.indexed(1);
    expect((await second.search({ query: 'palisade' })).hits).toHaveLength(2);
    expect(statSync(join(place.data, 'search.db')).mode & 0o077).toBe(0);
  });
});
