import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dataDirectory } from '@tugdeck/local/data-directory';
import type { Entry } from '@tugdeck/protocol/conversation/entries';
import type { LongText } from '@tugdeck/protocol/conversation/long-text';
import { markdownEntry } from '@tugdeck/protocol/export/markdown';
import { plainEntry } from '@tugdeck/protocol/export/plain-entry';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { clean } from '../src/commands/logs.ts';
import { checkAgents } from '../src/doctor/agent-checks.ts';
import { compareVersions, versionIn } from '../src/doctor/check.ts';
import { checkData, checkExposure, checkGit, checkNode, checkPort } from '../src/doctor/machine-checks.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'tugdeck-people-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

describe('doctor', () => {
  test('L4 versions are parsed from program output and compared numerically', () => {
    expect(versionIn('git version 2.39.5 (Apple)')).toBe('2.39.5');
    expect(versionIn('no idea')).toBeUndefined();
    expect(compareVersions('2.10.0', '2.9.9')).toBeGreaterThan(0);
    expect(compareVersions('2.1.0', '2.1.0')).toBe(0);
    expect(compareVersions('1.99.99', '2.0.0')).toBeLessThan(0);
  });

  test('L4 an old Node fails with a fix', () => {
    expect(checkNode('18.20.0')).toMatchObject({ state: 'failed', fix: expect.stringContaining('20.19') });
    expect(checkNode('22.1.0')).toEqual({ name: 'node', state: 'ok', detail: '22.1.0' });
  });

  test('L4 missing git is reported', async () => {
    expect(await checkGit({ PATH: root })).toMatchObject({ state: 'warning', fix: expect.any(String) });
  });

  test('L4 a port in use fails only if it was configured', async () => {
    const other = createServer();
    const port = await new Promise<number>((resolve) =>
      other.listen(0, '127.0.0.1', () => {
        const address = other.address();
        resolve(typeof address === 'object' && address ? address.port : 0);
      }),
    );
    expect(await checkPort(dataDirectory(root), { port })).toMatchObject({ state: 'failed' });
    await new Promise((resolve) => other.close(resolve));
    expect(await checkPort(dataDirectory(root), { port })).toMatchObject({ state: 'ok' });
  });

  test('L4 a data directory that is a file fails, a missing one does not', () => {
    const file = join(root, 'file');
    writeFileSync(file, '');
    expect(checkData(dataDirectory(file))).toMatchObject({ state: 'failed', fix: expect.any(String) });
    expect(checkData(dataDirectory(join(root, 'a', 'b')))).toMatchObject({ state: 'ok' });
  });

  test('L4 an unprotected public address fails', () => {
    const data = dataDirectory(root);
    expect(checkExposure(data, {})).toEqual([]);
    expect(checkExposure(data, { host: '0.0.0.0', name: 'deck.test' })).toMatchObject([
      { state: 'failed', fix: 'Set one with: tugdeck password' },
    ]);
    writeFileSync(data.password, '{}');
    expect(checkExposure(data, { host: '192.168.1.5', plainHttp: true })).toMatchObject([
      { state: 'warning' },
    ]);
  });

  test('L4 no agent fails; a configured one is enough; an unknown default is named', async () => {
    const nothing = await checkAgents({}, { PATH: root });
    expect(nothing.at(-1)).toMatchObject({ name: 'agents', state: 'failed' });
    const command = join(root, 'mine');
    writeFileSync(command, '#!/bin/sh\n', { mode: 0o755 });
    const agents = { mine: { command, protocol: 'acp' as const } };
    const own = await checkAgents({ agents }, { PATH: root });
    expect(own.filter(({ state }) => state === 'failed')).toEqual([]);
    const wrong = await checkAgents({ agents, agent: 'theirs' }, { PATH: root });
    expect(wrong.find(({ state }) => state === 'failed')).toMatchObject({
      detail: expect.stringContaining('theirs'),
      fix: expect.stringContaining('mine'),
    });
  });
});

describe('logs', () => {
  test.each([
    '{"message":"x","cookie":"abcdefghijkl"}',
    'GET /in/abcdefghijkl',
    'key sk-abcdefghijkl-more',
    'Authorization: Basic abcdefghijkl',
    'password = "abcdefghijkl"',
    'API_KEY=abcdefghijkl',
    'jwt eyJabcdefghijkl.eyJabcdefghijkl.abcdefghijkl',
  ])('X3 a secret is removed from %s', (line) => {
    expect(clean(line)).not.toContain('abcdefghijkl');
    expect(clean(line)).toContain('[removed]');
  });

  test('X3 ordinary lines stay as they are', () => {
    const lines =
      '{"message":"host started","session":"98c4c00e-01a7"}\nError: ENOENT: /in/a file\n    at x:1:2';
    expect(clean(lines)).toBe(lines);
  });
});

describe('entries as text', () => {
  const long = (text: LongText) => (typeof text === 'string' ? text : text.head);
  const base = { id: 'e', seq: 0, rev: 0, at: 0, status: 'complete' as const };
  const tool: Entry = {
    ...base,
    kind: 'tool',
    name: 'Bash',
    title: 'List',
    toolKind: 'shell',
    state: 'done',
    result: { type: 'terminal', stdout: '```\n# not a heading\n```', stderr: '' },
  };

  test('L26 output is fenced so that it is not read as Markdown', () => {
    expect(markdownEntry(tool, long)).toBe('**List**\n\n````\n```\n# not a heading\n```\n````');
  });

  test("L6 the agent's text stays Markdown, and is indented in a terminal", () => {
    const entry: Entry = { ...base, kind: 'text', text: '**a**\n\nb\n' };
    expect(markdownEntry(entry, long)).toBe('**a**\n\nb');
    expect(plainEntry(entry, long)).toBe('Agent:\n  **a**\n\n  b');
  });
});
