// The layer table: every form of import, and every boundary.
import { describe, expect, test } from 'vitest';
import { checkCycles } from '../checks/cycles.mjs';
import { FEATURES } from '../checks/layer-table.mjs';
import { checkLayers } from '../checks/layers.mjs';
import { plant } from './temporary-tree.mjs';

/** Every package lists everything, so that only the layers matter. */
const manifests = Object.fromEntries(
  [
    'protocol',
    'agents',
    'local',
    'journal',
    'drivers',
    'host',
    'reader',
    'store',
    'machine',
    'gateway',
    'client',
    'web',
    'cli',
  ].map((name, _, names) => {
    const all = [...names.map((other) => `@tugdeck/${other}`), '@tugdeck/testkit', 'zod', 'react'];
    return [
      `packages/${name}/package.json`,
      JSON.stringify({ dependencies: Object.fromEntries(all.map((dependency) => [dependency, '1'])) }),
    ];
  }),
);

/** @param {Record<string, string>} files */
const problemsOf = async (files) => (await checkLayers(plant({ ...manifests, ...files }))).problems;

test('a tree without sources fails', async () => {
  expect(await problemsOf({})).toHaveLength(1);
});

describe('all forms of imports are found', () => {
  test.each([
    "import { a } from '@tugdeck/machine/a';",
    "import type { A } from '@tugdeck/machine/a';",
    "import '@tugdeck/machine/a';",
    "export { a } from '@tugdeck/machine/a';",
    "export type { A } from '@tugdeck/machine/a';",
    "export * from '@tugdeck/machine/a';",
    "const a = await import('@tugdeck/machine/a');",
    "type A = import('@tugdeck/machine/a').A;",
    "const a = require('@tugdeck/machine/a');",
    "import { a } from '../../machine/src/a.ts';",
    "import type { A } from '../../machine/src/a.ts';",
  ])('%s', async (line) => {
    const found = await problemsOf({ 'packages/host/src/a.ts': `// first\n${line}\n` });
    expect(found).toEqual([expect.stringMatching(/^packages\/host\/src\/a\.ts:2 .*machine/)]);
  });

  test('names in comments and strings are not imports', async () => {
    const text = "// import '@tugdeck/machine/a'\nexport const a = \"import '@tugdeck/machine/a'\";\n";
    expect(await problemsOf({ 'packages/host/src/a.ts': text })).toEqual([]);
  });

  test('imports in TSX are found', async () => {
    const text = "import { a } from '@tugdeck/machine/a';\nexport const A = () => <p>{a}</p>;\n";
    expect(await problemsOf({ 'packages/web/src/A.tsx': text })).toHaveLength(1);
  });
});

describe('boundaries', () => {
  test.each([
    ['protocol/src/a.ts', '@tugdeck/local/a'],
    ['protocol/src/a.ts', 'node:fs'],
    ['protocol/src/a.ts', 'react'],
    ['agents/src/a.ts', '@tugdeck/drivers/kit/a'],
    ['local/src/a.ts', '@tugdeck/journal/a'],
    ['journal/src/a.ts', '@tugdeck/drivers/kit/a'],
    ['drivers/src/kit/a.ts', '../one/driver.ts'],
    ['drivers/src/one/a.ts', '../two/driver.ts'],
    ['drivers/src/one/a.ts', '@tugdeck/drivers/two/driver'],
    ['drivers/src/one/a.ts', '@tugdeck/host/a'],
    ['machine/src/a.ts', '@tugdeck/drivers/kit/port'],
    ['machine/src/a.ts', '@tugdeck/host/a'],
    ['machine/src/a.ts', '@tugdeck/gateway/a'],
    ['store/src/a.ts', '@tugdeck/machine/a'],
    ['gateway/src/a.ts', '@tugdeck/agents/a'],
    ['gateway/src/a.ts', '@tugdeck/trees/a'],
    ['gateway/src/a.ts', '@tugdeck/machine/files/a'],
    ['gateway/src/a.ts', '@tugdeck/journal/a'],
    ['machine/src/a.ts', 'node:http'],
    ['machine/src/files/a.ts', 'https'],
    ['machine/src/files/a.ts', 'fastify'],
    ['machine/src/a.ts', 'ws'],
    ['gateway/src/a.ts', 'node:child_process'],
    ['gateway/src/routes/a.ts', 'node:fs'],
    ['gateway/src/routes/a.ts', 'node:fs/promises'],
    ['gateway/src/routes/a.ts', '@tugdeck/local/files/confined'],
    ['gateway/src/a.ts', '@tugdeck/local/git'],
    ['client/src/a.ts', '@tugdeck/local/a'],
    ['client/src/a.ts', 'fs/promises'],
    ['web/src/a.ts', '@tugdeck/journal/a'],
    ['web/src/a.ts', 'node:path'],
    ['web/src/kit/a.ts', '../ui/Button.tsx'],
    ['web/src/kit/keys/a.ts', '../../ui/Button.tsx'],
    ['web/src/ui/A.tsx', '../features/diff/a.ts'],
    ['web/src/ui/A.tsx', '../shell/a.ts'],
    ['web/src/features/diff/a.ts', '../markdown/a.ts'],
    ['web/src/features/markdown/a.ts', '../prose/a.ts'],
    ['web/src/features/diff/a.ts', '../../cards/git/a.ts'],
    ['web/src/features/unlisted/a.ts', '../../kit/a.ts'],
    ['web/src/features/a.ts', '../kit/a.ts'],
    ['web/src/cards/git/a.ts', '../review/a.ts'],
    ['web/src/cards/git/a.ts', '../review/review.css'],
    ['web/src/cards/git/a.ts', '../../shell/a.ts'],
    ['web/src/elsewhere/a.ts', '../kit/a.ts'],
    ['web/src/main.tsx', './cards/git/GitCard.tsx'],
    ['cli/src/a.ts', '@tugdeck/web/a'],
    ['host/src/a.ts', '@tugdeck/testkit/a'],
    ['host/src/a.ts', '../test/a.ts'],
    ['host/src/a.ts', '../../protocol/test/a.ts'],
    ['host/test/a.test.ts', '../../protocol/src/a.ts'],
    ['host/test/a.test.ts', '@tugdeck/e2e/a'],
    ['nowhere/src/a.ts', '@tugdeck/protocol/a'],
  ])('%s must not import %s', async (file, name) => {
    expect(await problemsOf({ [`packages/${file}`]: `import '${name}';\n` })).toHaveLength(1);
  });

  test.each([
    ['packages/protocol/src/a.ts', 'zod'],
    ['packages/protocol/src/a/b.ts', '../c/d.ts'],
    ['packages/protocol/test/a.test.ts', 'node:fs'],
    ['packages/drivers/src/kit/a.ts', '@tugdeck/local/a'],
    ['packages/drivers/src/one/a.ts', '../kit/port.ts'],
    ['packages/drivers/src/one/a.ts', './b/c.ts'],
    ['packages/drivers/src/registry.ts', './one/driver.ts'],
    ['packages/host/src/a.ts', '@tugdeck/drivers/one/driver'],
    ['packages/host/src/a.ts', '@tugdeck/drivers/registry'],
    ['packages/machine/src/a.ts', '@tugdeck/agents/a'],
    ['packages/gateway/src/a.ts', '@tugdeck/machine/a'],
    ['packages/gateway/src/transport/page-files.ts', 'node:fs'],
    ['packages/gateway/test/a.test.ts', 'node:child_process'],
    ['packages/machine/src/files/a.ts', '../git/b.ts'],
    ['packages/machine/src/a.ts', 'node:net'],
    ['packages/cli/src/a.ts', '@tugdeck/machine/hosts/a'],
    ['packages/web/src/a.ts', '@tugdeck/client/a'],
    ['packages/web/src/main.tsx', './shell/mount-page.tsx'],
    ['packages/web/src/kit/keys/a.ts', '../layout/b.ts'],
    ['packages/web/src/ui/A.tsx', '../kit/a.ts'],
    ['packages/web/src/features/diff/a.ts', '../highlight/a.ts'],
    ['packages/web/src/features/diff/b/a.ts', '../c/d.ts'],
    ['packages/web/src/cards/git/a.ts', '../../features/diff/a.ts'],
    ['packages/web/src/shell/card-kinds.ts', '../cards/git/GitCard.tsx'],
    ['packages/cli/src/a.ts', '@tugdeck/machine/a'],
    ['packages/host/test/a.test.ts', '@tugdeck/testkit/a'],
    ['packages/host/test/a.test.ts', '../../protocol/test/random-conversation.ts'],
    ['e2e/a.test.ts', '@tugdeck/testkit/a'],
    ['testkit/src/a.ts', '@tugdeck/drivers/kit/port'],
  ])('%s may import %s', async (file, name) => {
    expect(await problemsOf({ [file]: `import '${name}';\n` })).toEqual([]);
  });
});

describe('the page', () => {
  test.each([
    "import type { A } from '../../cards/git/a.ts';",
    "const a = () => import('../../cards/git/a.ts');",
    "type A = import('../../cards/git/a.ts').A;",
    "export type { A } from '../../cards/git/a.ts';",
  ])('a feature must not name a card: %s', async (line) => {
    const found = await problemsOf({ 'packages/web/src/features/diff/a.ts': `${line}\n` });
    expect(found).toEqual([expect.stringContaining('web/features/diff must not import web/cards/git')]);
  });

  test('the features are listed from the bottom up', () => {
    const names = Object.keys(FEATURES);
    for (const [name, lower] of Object.entries(FEATURES))
      expect(names.slice(0, names.indexOf(name))).toEqual(expect.arrayContaining(lower));
  });
});

describe('import circles', () => {
  const back = "import { a } from './a.ts';\nexport const b = a;\n";
  test.each([
    ["import { b } from './b.ts';"],
    ["import type { b } from './b.ts';"],
    ["export * from './b.ts';"],
    ["const b = () => import('./b.ts');"],
    ["type B = typeof import('./b.ts');"],
  ])('are found: %s', async (line) => {
    const root = plant({ 'packages/web/src/kit/a.ts': `// a\n${line}\n`, 'packages/web/src/kit/b.ts': back });
    expect((await checkCycles(root)).problems).toEqual([
      'packages/web/src/kit/a.ts:2 imports itself: packages/web/src/kit/b.ts -> packages/web/src/kit/a.ts',
    ]);
  });

  test('are reported once, by the shortest way', async () => {
    const root = plant({
      'packages/web/src/a.ts': "import './b.ts';\nimport './c.ts';\n",
      'packages/web/src/b.ts': "import './c.ts';\n",
      'packages/web/src/c.ts': "import './a.ts';\n",
      'packages/web/src/self.ts': "import './self.ts';\n",
    });
    expect((await checkCycles(root)).problems).toEqual([
      'packages/web/src/a.ts:2 imports itself: packages/web/src/c.ts -> packages/web/src/a.ts',
      'packages/web/src/self.ts:1 imports itself: packages/web/src/self.ts',
    ]);
  });

  test('two ways to the same file do not count', async () => {
    const root = plant({
      'packages/web/src/a.ts': "import './b.ts';\nimport './c.ts';\n",
      'packages/web/src/b.ts': "import './c.ts';\n",
      'packages/web/src/c.ts': 'export const c = 1;\n',
    });
    expect((await checkCycles(root)).problems).toEqual([]);
  });

  test('a tree without sources fails', async () => {
    expect((await checkCycles(plant({}))).problems).toHaveLength(1);
  });
});

test('a package lists what its sources import; its tests may use the root tools', async () => {
  const files = {
    'packages/gateway/package.json': JSON.stringify({ dependencies: { ws: '8' } }),
    'packages/gateway/src/a.ts': "import 'ws';\nimport 'fastify';\nimport '@tugdeck/protocol/ids';\n",
    'packages/gateway/test/a.test.ts': "import 'vitest';\n",
  };
  expect(await problemsOf(files)).toEqual([
    'packages/gateway/src/a.ts:2 packages/gateway/package.json does not list fastify',
    'packages/gateway/src/a.ts:3 packages/gateway/package.json does not list @tugdeck/protocol',
  ]);
});
