// Each custom check passes on a clean tree, fails on a planted violation, and fails if it checked no file.
import { describe, expect, test } from 'vitest';
import { checkAgentNames } from '../checks/agent-names.mjs';
import { checkClassNames } from '../checks/class-names.mjs';
import { checkColors } from '../checks/colors.mjs';
import { checkGuardedAnswers } from '../checks/guarded-answers.mjs';
import { checkLiteralLengths } from '../checks/literal-lengths.mjs';
import { checkLockfiles } from '../checks/lockfiles.mjs';
import { checkPageModules } from '../checks/page-modules.mjs';
import { checkPageReads } from '../checks/page-reads.mjs';
import { checkSdkDependencies } from '../checks/sdk-dependencies.mjs';
import { checkSizes } from '../checks/sizes.mjs';
import { plant } from './temporary-tree.mjs';

/** @param {number} count */
const lines = (count) => 'export {};\n'.repeat(count);
/** @param {(root: string) => {problems: string[]}} check @param {Record<string, string>} files */
const problemsOf = (check, files) => check(plant(files)).problems;

describe('a check without files fails', () => {
  test.each([
    checkAgentNames,
    checkClassNames,
    checkColors,
    checkGuardedAnswers,
    checkLiteralLengths,
    checkLockfiles,
    checkPageModules,
    checkPageReads,
    checkSdkDependencies,
    checkSizes,
  ])('$name', (check) => {
    expect(problemsOf(check, { 'elsewhere.txt': '' })).toHaveLength(1);
  });
});

describe('sizes', () => {
  const list = 'scripts/checks/size-exceptions.json';

  test.each([
    ['packages/a/src/b.ts', 400],
    ['packages/a/src/wire.ts', 800],
    ['packages/a/src/frame-schemas.ts', 800],
    ['packages/a/src/View.tsx', 250],
    ['packages/a/test/b.test.ts', 900],
    ['e2e/b.test.ts', 900],
    ['scripts/b.mjs', 400],
  ])('%s may have %i lines', (file, limit) => {
    expect(problemsOf(checkSizes, { [file]: lines(limit) })).toEqual([]);
    expect(problemsOf(checkSizes, { [file]: lines(limit + 1) })).toEqual([expect.stringContaining(file)]);
  });

  test('an exception is limited to its lines and to the hard limit', () => {
    const grant = { [list]: JSON.stringify({ 'packages/a/src/b.ts': { lines: 450, why: 'one table' } }) };
    expect(problemsOf(checkSizes, { ...grant, 'packages/a/src/b.ts': lines(450) })).toEqual([]);
    expect(problemsOf(checkSizes, { ...grant, 'packages/a/src/b.ts': lines(451) })).toHaveLength(1);
    const generous = { [list]: JSON.stringify({ 'packages/a/src/b.ts': { lines: 900, why: 'one table' } }) };
    expect(problemsOf(checkSizes, { ...generous, 'packages/a/src/b.ts': lines(601) })).toHaveLength(1);
  });

  test('the list of exceptions only shrinks', () => {
    const grant = (/** @type {string} */ why) =>
      JSON.stringify({ 'packages/a/src/b.ts': { lines: 450, why } });
    expect(problemsOf(checkSizes, { [list]: grant('x'), 'packages/a/src/b.ts': lines(400) })).toHaveLength(1);
    expect(problemsOf(checkSizes, { [list]: grant('x'), 'packages/a/src/c.ts': lines(1) })).toHaveLength(1);
    expect(problemsOf(checkSizes, { [list]: grant(' '), 'packages/a/src/b.ts': lines(450) })).toHaveLength(1);
  });
});

describe('agent names', () => {
  test.each([
    ['packages/machine/src/a.ts', "if (agent === 'claude') {}"],
    ['packages/web/src/a.tsx', 'const isCodexTool = true;'],
    ['packages/drivers/src/kit/a.ts', '// as Gemini does'],
    ['packages/drivers/src/other.ts', "import './claude/driver.ts'"],
    ['packages/protocol/src/opencode.ts', ''],
    ['scripts/start.mjs', '// ANTHROPIC_API_KEY'],
  ])('%s must not contain %s', (file, text) => {
    expect(problemsOf(checkAgentNames, { [file]: text })).toEqual([expect.stringContaining(file)]);
  });

  test.each([
    'packages/drivers/src/claude/driver.ts',
    'packages/drivers/src/claude/fixtures/a.json',
    'packages/drivers/src/known-drivers.ts',
    'packages/agents/src/catalog.ts',
    'packages/host/test/a.test.ts',
  ])('%s may', (file) => {
    expect(problemsOf(checkAgentNames, { [file]: 'claude' })).toEqual([]);
  });
});

describe('page reads', () => {
  test.each([
    'expect(await list.count()).toBe(4);',
    "expect(\n  await page.getByRole('note').getAttribute('href'),\n).toBe('x');",
    "expect(await rows.first().isVisible(), 'the row').toBe(true);",
    "expect((await words.allTextContents()).join('')).toBe('x');",
  ])('a test must not contain %s', (text) => {
    expect(problemsOf(checkPageReads, { 'packages/web/test/a.browser.test.ts': text })).toHaveLength(1);
  });

  test.each([
    'await expect.poll(() => list.count()).toBe(4);',
    "expect(await readFile(at('a'), 'utf8')).toBe('');\nconst rows = await list.count();",
  ])('a test may contain %s', (text) => {
    expect(problemsOf(checkPageReads, { 'e2e/a.test.ts': text })).toEqual([]);
  });
});

describe('literal lengths', () => {
  const list = 'scripts/checks/literal-lengths.json';
  test.each([
    'a { padding: 0 6px; }',
    'a { margin-top: -4px }',
    'a { font: 12px / 18px var(--font-mono); }',
    'a { border-radius: 3px; }',
    'a { z-index: 7; }',
  ])('%s is refused', (text) => {
    expect(problemsOf(checkLiteralLengths, { 'packages/web/src/a.css': text })).toHaveLength(1);
  });
  test('sizes, hairlines, scales, comments and tokens may have them', () => {
    const text = 'a { width: 14px; margin: 1px 0 -1px; gap: var(--s-8) /* 6px */; min-height: 20px }';
    const files = { 'packages/web/src/a.css': text, 'packages/web/src/ui/tokens/b.css': 'a { gap: 6px }' };
    expect(problemsOf(checkLiteralLengths, files)).toEqual([]);
  });
  test('a listed file may have as many as before, not more', () => {
    const granted = (/** @type {number} */ count) => ({
      'packages/web/src/a.css': 'a { gap: 6px; padding: 3px }',
      [list]: `{"packages/web/src/a.css": ${count}}`,
    });
    expect(problemsOf(checkLiteralLengths, granted(2))).toEqual([]);
    expect(problemsOf(checkLiteralLengths, granted(1))).toHaveLength(1);
  });
});

describe('colors', () => {
  test.each([
    ['a.css', 'a { color: #fff; }'],
    ['a.css', 'a {\n  border: 1px solid #12ab34cc\n}'],
    ['a.css', 'a { background: rgb(0 0 0 / 50%); }'],
    ['a.css', 'a { color: oklch(0.7 0.1 200); }'],
    ['a.css', 'a { border-top: 1px solid red; }'],
    ['A.tsx', "const style = { color: '#1a1b26' };"],
    ['A.tsx', "const shadow = '0 0 1px #000';"],
    ['a.ts', "const c = 'hsla(0, 0%, 0%, 1)';"],
  ])('%s must not contain %s', (file, text) => {
    expect(problemsOf(checkColors, { [`packages/web/src/${file}`]: text })).toHaveLength(1);
  });

  test.each([
    ['ui/tokens/dark.css', ':root { --bg: #1a1b26; }'],
    ['a.css', '#add { color: var(--text); }\na:hover #face { margin: 0 }'],
    ['a.css', '/* not #fff */ a { background: color-mix(in oklch, var(--a), transparent) }'],
    ['a.css', '.red { white-space: pre; color: rgb(from var(--a) r g b); }'],
    ['a.ts', 'class A { #add = 1; b() { return this.#add; } }'],
  ])('%s may contain %s', (file, text) => {
    const files = { [`packages/web/src/${file}`]: text, 'packages/web/src/other.css': '' };
    expect(problemsOf(checkColors, files)).toEqual([]);
  });
});

describe('class names', () => {
  const of = (/** @type {Record<string, string>} */ files) =>
    problemsOf(
      checkClassNames,
      Object.fromEntries(Object.entries(files).map(([file, text]) => [`packages/web/src/${file}`, text])),
    );

  test.each([
    ['shell/keys/keys.css'],
    ['ui/controls.css'],
    ['features/diff/diff.css'],
    ['cards/git/git.css'],
  ])('of a card must not be styled in %s too', (other) => {
    expect(of({ 'cards/stats/stats.css': 'a, .row { gap: 0 }', [other]: '.row { gap: 1px }' })).toEqual([
      expect.stringMatching(/^\.row is styled in .*cards\/stats/),
    ]);
  });

  test('may be used below or beside another class, in one folder, and in rules for the whole page', () => {
    expect(
      of({
        'cards/stats/stats.css': '/* .row { */ .row { gap: 0 }',
        'cards/stats/plot.css': '.row { gap: 1px }',
        'cards/git/git.css': '.git .row, .row.wide, .row:hover { gap: 0 }',
        'shell/phone.css': '.row { gap: 1px }',
      }),
    ).toEqual([]);
  });
});

describe('agent SDKs', () => {
  test.each([
    '@anthropic-ai/claude-agent-sdk',
    'openai',
    '@openai/codex-sdk',
    '@google/genai',
    '@opencode-ai/sdk',
  ])('%s is rejected in a manifest and in the lockfile', (name) => {
    const manifest = JSON.stringify({ dependencies: { [name]: '1.0.0' } });
    expect(problemsOf(checkSdkDependencies, { 'packages/a/package.json': manifest })).toHaveLength(1);
    const lock = JSON.stringify({ packages: { [`node_modules/x/node_modules/${name}`]: {} } });
    expect(
      problemsOf(checkSdkDependencies, { 'package.json': '{}', 'package-lock.json': lock }),
    ).toHaveLength(1);
  });

  test('the protocol schemas and the agents of the test kit are allowed', () => {
    const files = {
      'package.json': JSON.stringify({ dependencies: { '@agentclientprotocol/sdk': '1.0.0', zod: '4.0.0' } }),
      'testkit/agents/package.json': JSON.stringify({
        dependencies: { '@anthropic-ai/claude-code': '1.0.0' },
      }),
    };
    expect(problemsOf(checkSdkDependencies, files)).toEqual([]);
  });
});

test('a lockfile with a download URL is rejected', () => {
  const lock = (/** @type {string} */ resolved) =>
    JSON.stringify({ packages: { 'node_modules/a': { resolved } } }, null, 2);
  expect(problemsOf(checkLockfiles, { 'package-lock.json': lock('packages/a') })).toEqual([]);
  expect(problemsOf(checkLockfiles, { 'x/package-lock.json': lock('https://r.test/a.tgz') })).toHaveLength(1);
});

test('a lockfile without the binary of a platform is rejected', () => {
  const lock = (/** @type {Record<string, object>} */ others) =>
    JSON.stringify({
      packages: { 'node_modules/a': { optionalDependencies: { 'a-mac': '1.0.0' } }, ...others },
    });
  const refused = problemsOf(checkLockfiles, { 'package-lock.json': lock({}) });
  expect(refused).toEqual([expect.stringContaining('a-mac@1.0.0')]);
  for (const where of ['node_modules/a-mac', 'node_modules/a/node_modules/a-mac']) {
    expect(problemsOf(checkLockfiles, { 'package-lock.json': lock({ [where]: {} }) })).toEqual([]);
  }
});

describe('page modules', () => {
  const list = (/** @type {string[]} */ ids) => ({ 'dist/web-modules.json': JSON.stringify(ids) });

  test('only web, client, protocol and packages', () => {
    const fine = ['packages/web/src/main.tsx', 'packages/protocol/src/ids.ts', 'node_modules/react/index.js'];
    expect(problemsOf(checkPageModules, list(fine))).toEqual([]);
    for (const name of ['machine', 'gateway', 'host', 'drivers', 'journal', 'local', 'cli']) {
      expect(problemsOf(checkPageModules, list([...fine, `packages/${name}/src/a.ts`]))).toHaveLength(1);
    }
    expect(problemsOf(checkPageModules, list([...fine, '\0__vite-browser-external:fs']))).toHaveLength(1);
  });

  test('a list without our own modules fails', () => {
    expect(problemsOf(checkPageModules, list(['node_modules/react/index.js']))).toHaveLength(1);
  });
});

describe('answers that no click delay guards', () => {
  const sender = 'packages/web/src/features/requests/use-answer.ts';
  const send = "channel.send({ kind: 'request.answer', entry });\n";
  const guarded = `if (isSending || !guard.mayAnswer()) return;\n${send}`;
  test.each([
    ['another place', { [sender]: guarded, 'packages/web/src/cards/inbox/Quick.tsx': send }],
    [
      'a pieced name',
      { [sender]: guarded, 'packages/web/src/a.ts': `send({ kind: \`request.\${what}\` });\n` },
    ],
    ['trust elsewhere', { [sender]: guarded, 'packages/web/src/b.ts': "ask({ type: 'project.trust' });\n" }],
    ['the place itself, unguarded', { [sender]: send }],
    ['a send before the guard', { [sender]: `${send}${guarded}` }],
  ])('C6 X6 %s', (_, files) => {
    expect(problemsOf(checkGuardedAnswers, files)).toHaveLength(1);
    expect(problemsOf(checkGuardedAnswers, { [sender]: guarded })).toEqual([]);
  });
});
