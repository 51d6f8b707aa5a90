/** Follows the worked examples of CONTRIBUTING.md: compiles their files together with the real ones, and runs them. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { Areas } from '@tugdeck/client/areas';
import { DeckRequests } from '@tugdeck/client/deck-requests';
import { Feeds } from '@tugdeck/client/feeds';
import { FrameQueue } from '@tugdeck/client/store';
import type { ServedArea } from '@tugdeck/machine/areas/serve-area';
import type { Area } from '@tugdeck/protocol/areas/area';
import { CodedError, reportOf } from '@tugdeck/protocol/wire/errors';
import { feedByte, feedMessageSchema } from '@tugdeck/protocol/wire/feeds';
import { createElement, type FunctionComponent } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
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
/** The files of the examples by path, whole. */
let changed: ReadonlyMap<string, string>;
beforeAll(() => {
  mkdirSync(join(ROOT, '.cache'), { recursive: true });
  folder = mkdtempSync(join(ROOT, '.cache', 'worked-examples-'));
  const document = readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8');
  blocks = [...document.matchAll(FENCE)].map(([, kind = '', path = '', text = '']) => ({ kind, path, text }));
  const files = new Map<string, string>();
  for (const { kind, path, text } of blocks) {
    const before = files.get(path) ?? (kind === 'diff' ? readFileSync(join(ROOT, path), 'utf8') : '');
    files.set(path, kind === 'diff' ? applied(before, text) : text);
  }
  changed = files;
  for (const [path, text] of changed) writeFileSync(join(folder, fileName(path)), moved(path, text));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** `kit/card-kinds.ts` and `shell/card-kinds.ts` have one name. */
function fileName(path: string): string {
  return path.slice('packages/'.length).replaceAll('/', '-');
}

/** Adds the lines of a diff: imports first, others after the line above them, or at the end of the last list. */
function applied(before: string, diff: string): string {
  let text = before;
  let above: string | undefined;
  for (const line of diff.split('\n')) {
    const content = line.slice(1);
    if (!line.startsWith('+')) {
      if (line !== '') above = content;
      continue;
    }
    if (content.startsWith('import ')) {
      text = `${content}\n${text}`;
      continue;
    }
    const known = above === undefined ? -1 : text.lastIndexOf(`\n${above}\n`);
    if (above !== undefined && known < 0) throw new Error(`no line ${above}`);
    const end =
      above === undefined
        ? Math.max(text.lastIndexOf('\n  ];'), text.lastIndexOf('\n];'))
        : known + above.length + 1;
    text = `${text.slice(0, end)}\n${content}${text.slice(end)}`;
    if (above !== undefined) above = content;
  }
  return text;
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
    return `${word} '${isNew ? `./${fileName(target)}` : join(ROOT, target)}'`;
  });
}

/** Loads a file of the examples, or one that they change. */
function load<T>(path: string): Promise<T> {
  return import(join(folder, fileName(path))) as Promise<T>;
}

/** A page and a server in one process, with only this area. */
function pageWith(served: ServedArea) {
  const encode = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));
  const quiet = () => undefined;
  const faults: string[] = [];
  let ids = 0;
  const newId = () => `id-${++ids}`;
  const server = new PageFeeds({
    openArea: (_name, about, out) => served.open(about, out),
    limits: LIMITS,
    log: { debug: quiet, info: quiet, warn: quiet, error: quiet },
    send: (_feed, channel, payload) =>
      feeds.receive(channel, feedMessageSchema.parse(JSON.parse(new TextDecoder().decode(payload)))),
    lost: quiet,
    isCongested: () => false,
    signIn: 'here',
  });
  const requests = new DeckRequests({
    send(request) {
      queueMicrotask(async () => {
        try {
          if (request.type === 'feed.open') await server.open(request.channel, request.feed, request.about);
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
  const { disk } = await load<{ disk: Area }>('packages/protocol/src/areas/disk.ts');
  const { serveDisk } = await load<{
    serveDisk: (projects: { place: (id: string) => { directory: string } }) => ServedArea;
  }>('packages/machine/src/disk/disk-area.ts');
  const place = (id: string) => {
    if (id !== 'p') throw new CodedError('PROJECT_NOT_FOUND');
    return { directory: ROOT };
  };
  const { areas, faults } = pageWith(serveDisk({ place }));
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

test('A13 the example agent of CONTRIBUTING.md is in the catalog, and trust covers its project configuration', async () => {
  const catalog = await load<typeof import('@tugdeck/agents/catalog')>('packages/agents/src/catalog.ts');
  const agent = catalog.findAgent('parrot');
  expect(catalog.PROTOCOLS).toContain(agent?.protocol);
  expect(catalog.findByHandshakeName('parrot')).toBe(agent);
  expect(catalog.PROJECT_SOURCES.map(({ path }) => path)).toContain('.parrot/settings.json');
  expect(new Set(catalog.KNOWN_AGENTS.map(({ mark }) => mark)).size).toBe(catalog.KNOWN_AGENTS.length);
});

test('D1 the example card of CONTRIBUTING.md is a kind with a unique letter, and is loaded', async () => {
  const { CARD_KINDS } = await load<{
    CARD_KINDS: {
      kind: string;
      letter: string;
      load: () => Promise<{ default: { name: string } }>;
    }[];
  }>('packages/web/src/shell/card-kinds.ts');
  expect(new Set(CARD_KINDS.map(({ letter }) => letter)).size).toBe(CARD_KINDS.length);
  const card = await CARD_KINDS.find(({ kind }) => kind === 'recent')?.load();
  expect(card?.default.name).toBe('RecentCard');
});

test('C13 the example tool view of CONTRIBUTING.md parses, renders and has a text', async () => {
  const { toolResultSchema } = await load<typeof import('@tugdeck/protocol/conversation/tool-result')>(
    'packages/protocol/src/conversation/tool-result.ts',
  );
  const { resultText } = await load<typeof import('@tugdeck/protocol/export/entry-text')>(
    'packages/protocol/src/export/entry-text.ts',
  );
  const { ToolResultView } = await load<{ ToolResultView: FunctionComponent<{ result: object }> }>(
    'packages/web/src/features/tool-results/ToolResultView.tsx',
  );
  const result = toolResultSchema.parse({ type: 'table', columns: ['a', 'b'], rows: [['1', '2']] });
  expect(resultText(result, String)).toBe('a\tb\n1\t2');
  expect(renderToStaticMarkup(createElement(ToolResultView, { result }))).toContain('<td>1</td><td>2</td>');
});

test('S1 the files that the examples of CONTRIBUTING.md change stay within their size limit', () => {
  const lengths = [...changed].map(([path, text]) => ({ path, lines: text.split('\n').length - 1 }));
  const limit = (path: string) => (path.endsWith('.tsx') ? 250 : 400);
  expect(lengths.filter(({ path, lines }) => lines > limit(path))).toEqual([]);
});

test('S1 the examples of CONTRIBUTING.md compile together with the files that they change', () => {
  // Another output than the contract's does not compile.
  const wrong = [
    "import { disk } from './protocol-src-areas-disk.ts';",
    `import { serveArea } from '${join(ROOT, 'packages/machine/src/areas/serve-area.ts')}';`,
    '// @ts-expect-error',
    'export const wrong = serveArea(disk, () => ({ calls: { measure: () => ({ free: 1 }) } }));',
  ];
  writeFileSync(join(folder, 'wrong.ts'), wrong.join('\n'));
  const options = { lib: ['ES2023', 'DOM', 'DOM.Iterable'], types: ['node', 'react'], jsx: 'react-jsx' };
  const names = ['wrong.ts', ...new Set(blocks.map(({ path }) => fileName(path)))];
  const files = [...names, join(ROOT, 'packages/web/src/styles.d.ts')];
  const config = { extends: join(ROOT, 'tsconfig.base.json'), compilerOptions: options, files };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  const { stdout } = spawnSync(process.execPath, [tsc, '-p', folder], { encoding: 'utf8' });
  expect(stdout).toBe('');
}, 480_000);
