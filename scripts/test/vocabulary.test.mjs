// Vocabulary and docs checks: they pass on clean files and fail on planted violations.
import { describe, expect, test } from 'vitest';
import { checkDocs } from '../checks/docs.mjs';
import { checkVocabulary } from '../checks/vocabulary.mjs';
import { plant } from './temporary-tree.mjs';

/** @param {Record<string, string>} files @param {Parameters<typeof checkVocabulary>[1]} [options] */
const problemsOf = async (files, options = {}) =>
  (await checkVocabulary(plant(files), { exceptions: [], ...options })).problems;

describe('vocabulary', () => {
  test('without files it fails', async () => {
    expect(await problemsOf({})).toEqual(['checked no file: the check itself is broken']);
  });

  test.each([
    ['a.ts', '/** Stops the agent, whoever started it. */', 1, 'whoever'],
    ['a.ts', '\n// The session that is gone\n// on with.', 2, 'gone on with'],
    ['a.ts', 'export const a = 1; // Who has told git no name.', 1, 'Who has'],
    ['a.tsx', 'export const a = <p>Nothing to take back here</p>;', 1, 'take back'],
    ['a.mjs', "throw new Error('There is no such file');", 1, 'There is no'],
    ['a.ts', 'export const a = `The sessions are at work`;', 1, 'at work'],
    ['test/a.test.ts', "test('S1 what is shown is told', f);", 1, 'is told'],
    ['test/a.test.ts', "test('S1 C2 what is shown comes first', f);", 1, 'what is'],
    ['a.ts', '/* A linked work tree. */', 1, 'work tree'],
    ['a.ts', '// The colour of the page.', 1, 'colour'],
    ['a.ts', "throw new Error('waited for a line in vain');", 1, 'in vain'],
    ['a.ts', '/** The last text that the model was ever told. */', 1, 'told'],
    ['a.ts', "test('X2 refuses an id that is none', f);", 1, 'that is none'],
    ['a.ts', '// A kind that nobody knows.', 1, 'nobody knows'],
    ['a.ts', "const text = 'Skills at hand, hooks in force';", 1, 'at hand'],
    ['a.ts', '// The first in line gets a slot.', 1, 'first in line'],
    ['a.ts', '// Waits until the prompt comes to rest.', 1, 'comes to rest'],
    ['a.ts', '/** Prints a new one-time address. */', 1, 'one-time address'],
    ['a.md', 'Images use signed addresses.', 1, 'signed addresses'],
    ['a.md', '# Title\n\nText that is\nlooked at.', 3, 'is looked at'],
    ['a.md', '| a | b |\n|---|---|\n| c | was cancelled |', 3, 'cancelled'],
  ])('%s with %j fails', async (file, text, line, found) => {
    expect((await problemsOf({ [file]: text })).join('\n')).toContain(`${file}:${line} "${found}"`);
  });

  test.each([
    [
      'a.ts',
      "export const whoever = /at rest|meanwhile/; // Sends `there is no` to the client.\ntell('cancelled');",
    ],
    ['a.ts', 'export const url = "http://whoever.example/meanwhile";'],
    ['a.md', 'Waits.\n\n```sh\necho "meanwhile"\n```\n\n`any more` and [text](meanwhile.md)'],
    ['fixtures/a.ts', '// meanwhile'],
  ])('%s with %j passes', async (file, text) => {
    expect(await problemsOf({ [file]: text, 'b.ts': '' })).toEqual([]);
  });

  test.each([
    ["const a = { label: 'Open the file.' };", 'ends with a full stop'],
    ["const a = { title: 'Open The File' };", 'has a capital inside ("The")'],
    ["const a = { label: x ? 'open the file' : 'Close' };", 'starts in lower case'],
    ['const a = <input placeholder="Search Files" />;', 'has a capital inside ("Files")'],
    ['const a = <i aria-label={b ?? "No file."} />;', 'ends with a full stop'],
  ])('label %j %s', async (text, problem) => {
    expect((await problemsOf({ 'a.tsx': text })).join()).toContain(problem);
    expect(await problemsOf({ 'a.test.tsx': text })).toEqual([]);
  });

  test('labels in sentence case pass', async () => {
    const labels = [
      'Copy as Markdown',
      'Open in Git…',
      'Delete it? This cannot be undone.',
      'API key',
      'README.md',
    ];
    expect(await problemsOf({ 'a.ts': `f(${labels.map((label) => `{ label: '${label}' }`)});` })).toEqual([]);
  });

  test('an exception covers its text only, and must be needed', async () => {
    const exceptions = [{ file: 'a.ts', text: 'recorded', why: 'fixture' }];
    expect(await problemsOf({ 'a.ts': '// recorded meanwhile' }, { exceptions })).toEqual([]);
    expect(await problemsOf({ 'a.ts': '// meanwhile' }, { exceptions })).toHaveLength(2);
    const inFolder = [{ file: 'a', text: 'recorded', why: 'fixture' }];
    const files = {
      'a/b.ts': '// recorded meanwhile',
      'a/c.ts': '// meanwhile',
      'ab.ts': '// recorded meanwhile',
    };
    expect(
      (await problemsOf(files, { exceptions: inFolder })).map((problem) => problem.split(' ')[0]),
    ).toEqual(['a/c.ts:1', 'ab.ts:1']);
  });
});

describe('docs', () => {
  const decision = '# 0001 Subject\n\n**Status:** Accepted\n\nText.\n';
  const clean = {
    'docs/decisions/README.md': '| [0001](0001-subject.md) | Subject | Accepted |\n',
    'docs/decisions/0001-subject.md': decision,
    'README.md': '[docs](docs/decisions/README.md#x), [web](https://example.org), `[code](none.md)`\n',
    'docs/tests.md': '`e2e/a.test.ts`, `a.test.ts`, `packages/x/test/git-*.test.ts`\n',
    'e2e/a.test.ts': '',
    'packages/x/test/git-paths.test.ts': '',
  };

  test('clean docs pass', () => {
    expect(checkDocs(plant(clean)).problems).toEqual([]);
  });

  test.each([
    ['README.md', '\n[gone](docs/gone.md)', 'README.md:2 links to docs/gone.md'],
    ['README.md', '\nSee `b.test.ts`.', 'README.md:2 names b.test.ts, which does not exist'],
    ['README.md', '`e2e/git-*.test.ts`', 'README.md:1 names e2e/git-*.test.ts'],
    ['docs/decisions/README.md', 'empty', 'no row "[0001](0001-subject.md) | Subject"'],
    ['docs/decisions/0001-subject.md', '# 0001 Subject\n\nText.', 'the third line must be'],
    [
      'docs/decisions/0001-subject.md',
      decision.replace('0001 Subject', '0002 Subject'),
      'the title must begin with',
    ],
    ['docs/decisions/notes.md', '# Notes', 'the name must be NNNN-subject.md'],
  ])('%s with %j fails', (file, text, problem) => {
    expect(checkDocs(plant({ ...clean, [file]: text })).problems.join('\n')).toContain(problem);
  });
});
