/** Follows "Add an area" of CONTRIBUTING.md: compiles its files with the real lists, and runs contract and handler. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { Areas } from '@tugdeck/client/areas';
import { DeckRequests } from '@tugdeck/client/deck-requests';
import { Feeds } from '@tugdeck/client/feeds';
import { FrameQueue } from '@tugdeck/client/store';
import type { ServedArea } from '@tugdeck/machine/areas/serve-area';
import type { Area } from '@tugdeck/protocol/areas/area';
import { CodedError, reportOf } from '@tugdeck/protocol/wire/errors';
import { feedByte, feedMessageSchema } from '@tugdeck/protocol/wire/feeds';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PageFeeds } from '../src/feeds/page-feeds.ts';
import { LIMITS } from '../src/limits.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const FENCE = /^```(tsx?|diff) (packages\/\S+)\n(.*?)^```$/gms;

interface Block {
  readonly kind: string;
  readonly path: string;
  readonly text: string;
}

let folder: string;
let blocks: readonly Block[];
beforeAll(() => {
  mkdirSync(join(ROOT, '.cache'), { recursive: true });
  folder = mkdtempSync(join(ROOT, '.cache', 'add-area-'));
  const document = readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8');
  blocks = [...document.matchAll(FENCE)].map(([, kind = '', path = '', text = '']) => ({ kind, path, text }));
  for (const { kind, path, text } of blocks) {
    writeFileSync(join(folder, basename(path)), moved(path, kind === 'diff' ? registered(path, text) : text));
  }
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The real list with the lines of the document: imports first, the others at the end of the list. */
function registered(path: string, diff: string): string {
  const lines = diff.split('\n').flatMap((line) => (line.startsWith('+') ? [line.slice(1)] : []));
  const imports = lines.filter((line) => line.startsWith('import '));
  const rows = lines.filter((line) => !line.startsWith('import '));
  const list = readFileSync(join(ROOT, path), 'utf8');
  const end = Math.max(list.lastIndexOf('\n  ];'), list.lastIndexOf('\n];'));
  return `${imports.join('\n')}\n${list.slice(0, end)}\n${rows.join('\n')}${list.slice(end)}`;
}

/** The text with imports that work in the temporary folder, which holds all files of the example side by side. */
function moved(path: string, text: string): string {
  return text.replaceAll(/(from|import\() ?'([^']+)'/g, (whole, word: string, name: string) => {
    const target = name.startsWith('@tugdeck/protocol/')
      ? join('packages/protocol/src', `${name.slice('@tugdeck/protocol/'.length)}.ts`)
      : name.startsWith('.')
        ? join(dirname(path), name)
        : undefined;
    if (target === undefined) return whole;
    const isNew = blocks.some((block) => block.path === target);
    return `${word} '${isNew ? `./${basename(target)}` : join(ROOT, target)}'`;
  });
}

/** A page and a server in one process, with only this area. */
function pageWith(served: ServedArea) {
  const encode = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));
  const quiet = () => undefined;
  const faults: string[] = [];
  let ids = 0;
  const newId = () => `id-${++ids}`;
  const server = new PageFeeds({
    areas: [served],
    limits: LIMITS,
    log: { debug: quiet, info: quiet, warn: quiet, error: quiet },
    send: (_feed, channel, payload) =>
      feeds.receive(channel, feedMessageSchema.parse(JSON.parse(new TextDecoder().decode(payload)))),
    isCongested: () => false,
    signIn: 'here',
  });
  const requests = new DeckRequests({
    send(request) {
      queueMicrotask(() => {
        try {
          if (request.type === 'feed.open') server.open(request.channel, request.feed, request.about);
          requests.receive({ type: 'done', re: request.id });
        } catch (error) {
          requests.receive({ type: 'error', re: request.id, ...reportOf(error) });
        }
      });
      return true;
    },
    isReady: () => true,
    newId,
  });
  let channels = 0;
  const feeds: Feeds = new Feeds({
    requests,
    isReady: () => true,
    nextChannel: () => ++channels,
    sendRequest: (name, channel, request) =>
      server.receive({ feed: feedByte(name), channel, payload: encode(request) }),
    sendBytes: () => false,
    queue: new FrameQueue((run) => run()),
    newId,
    fault: quiet,
  });
  return { areas: new Areas(feeds, (why) => faults.push(why)), faults };
}

test('S1 the example area of CONTRIBUTING.md pushes its state and answers its call', async () => {
  expect(blocks.map(({ kind }) => kind)).toEqual(['ts', 'ts', 'tsx', 'diff', 'diff']);
  const { disk } = (await import(join(folder, 'disk.ts'))) as { disk: Area };
  const { serveDisk } = (await import(join(folder, 'disk-area.ts'))) as {
    serveDisk: (projects: { get: (id: string) => { path: string } }) => ServedArea;
  };
  const get = (id: string) => {
    if (id !== 'p') throw new CodedError('PROJECT_NOT_FOUND');
    return { path: ROOT };
  };
  const { areas, faults } = pageWith(serveDisk({ get }));
  const channel = areas.open(disk, { project: 'p' });
  await expect.poll(() => channel.view.get().state).toMatchObject({ free: expect.any(Number) });
  expect(await channel.call('measure')).toMatchObject({ size: expect.any(Number) });
  await expect(channel.call('unknown')).rejects.toMatchObject({ code: 'INVALID_MESSAGE' });
  const missing = areas.open(disk, { project: 'q' });
  await expect.poll(() => missing.view.get().fault).toMatchObject({ code: 'PROJECT_NOT_FOUND' });
  const invalid = areas.open(disk, { project: 4 });
  await expect.poll(() => invalid.view.get().fault).toMatchObject({ code: 'INVALID_MESSAGE' });
  expect(faults).toEqual([]);
});

test('S1 the example area of CONTRIBUTING.md compiles together with both lists', () => {
  // Another output than the contract's does not compile.
  const wrong = [
    "import { disk } from './disk.ts';",
    `import { serveArea } from '${join(ROOT, 'packages/machine/src/areas/serve-area.ts')}';`,
    '// @ts-expect-error',
    'export const wrong = serveArea(disk, () => ({ calls: { measure: () => ({ free: 1 }) } }));',
  ];
  writeFileSync(join(folder, 'wrong.ts'), wrong.join('\n'));
  const options = { lib: ['ES2023', 'DOM', 'DOM.Iterable'], types: ['node', 'react'], jsx: 'react-jsx' };
  const names = ['wrong.ts', ...blocks.map(({ path }) => basename(path))];
  const files = [...names, join(ROOT, 'packages/web/src/styles.d.ts')];
  const config = { extends: join(ROOT, 'tsconfig.base.json'), compilerOptions: options, files };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  const { stdout } = spawnSync(process.execPath, [tsc, '-p', folder], { encoding: 'utf8' });
  expect(stdout).toBe('');
}, 480_000);
