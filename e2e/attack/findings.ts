/**
 * The holes that a security review found (V1 to V19), each with the attacks of this list and the tests that hold it closed.
 * Tests are named by file and the beginning of a title, because files move between packages.
 */
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface HeldBy {
  readonly file: string;
  readonly title: string;
}

export interface Finding {
  readonly id: string;
  readonly hole: string;
  /** The beginnings of names in the list of attacks. */
  readonly attacks?: readonly string[];
  /** For holes that need a browser, or a server in pieces. */
  readonly tests?: readonly HeldBy[];
}

const inFile = (file: string, ...titles: readonly string[]): HeldBy[] =>
  titles.map((title) => ({ file, title }));

export const FINDINGS: readonly Finding[] = [
  {
    id: 'V1',
    hole: 'reading a repository runs its filters',
    attacks: [
      'runs a filter named by',
      'runs programs by its own configuration',
      'contains a git, rg and tmux',
    ],
  },
  {
    id: 'V2',
    hole: 'an agent starts in an untrusted project',
    attacks: ['starts an agent without trust', 'changes after the user', 'claims to be', 'gets a hook from'],
  },
  {
    id: 'V3',
    hole: 'every server on this machine gets the sign-in',
    attacks: ['sends requests without a proof', 'opens a socket or posts from another origin'],
    tests: inFile('other-programs.test.ts', 'X1 at %s gets nothing that opens anything'),
  },
  {
    id: 'V4',
    hole: 'the next program at our port gets the sign-in',
    tests: inFile(
      'other-programs.test.ts',
      'X28 that takes our port after we release it',
      'X1 that served our origin in between',
      'X30 a service worker that was left at our port',
    ),
  },
  {
    id: 'V5',
    hole: 'the sign-in link is an argument',
    attacks: ['reads the arguments and environments of all processes'],
  },
  {
    id: 'V6',
    hole: 'a permission shows something other than what runs',
    attacks: ['sends permission requests that hide'],
    tests: [
      ...inFile('request-contents.test.ts', 'C6 nothing that is sent with'),
      ...inFile('codex-permissions.test.ts', 'C6 '),
      ...inFile(
        'permissions.browser.test.ts',
        'C6 no character of a request is missing',
        'C22 a path is shown',
      ),
    ],
  },
  {
    id: 'V7',
    hole: 'a double click answers another request',
    tests: [
      ...inFile('answers.browser.test.ts', 'C24 D7 the second click of a double click'),
      ...inFile('answers-touch.browser.test.ts', 'C24 '),
    ],
  },
  {
    id: 'V8',
    hole: 'a revoked sign-in works for 30 s',
    tests: [
      ...inFile(
        'sign-in.test.ts',
        'X29 a revoked sign-in is ignored',
        'X29 a revoked sign-in receives nothing',
      ),
      ...inFile('exposure.test.ts', 'X29 a new password applies at once'),
    ],
  },
  {
    id: 'V9',
    hole: 'the trust question takes an early click',
    tests: inFile('answers.browser.test.ts', 'X37 the trust dialog ignores clicks'),
  },
  {
    id: 'V10',
    hole: 'a data directory of another user is used',
    attacks: [
      'creates the data directory first',
      'puts files into our data directory',
      'owns, or can replace',
    ],
  },
  { id: 'V11', hole: 'a repository takes all memory', attacks: ['takes all memory'] },
  {
    id: 'V12',
    hole: 'localhost is one address family',
    tests: [
      ...inFile('other-programs.test.ts', 'X21 at our own port and the other address family'),
      ...inFile('keeper.test.ts', 'X21 localhost covers both'),
    ],
  },
  {
    id: 'V13',
    hole: 'the command line talks to any socket',
    attacks: ['listens where the socket', 'writes records into the ledger'],
  },
  { id: 'V14', hole: 'harmless rules hide a hook', attacks: ['hides a hook and a server'] },
  {
    id: 'V15',
    hole: 'invisible characters pass',
    tests: inFile('visible-text.test.ts', 'C23 escapes every hidden code point', 'C23 earlier gaps'),
  },
  {
    id: 'V16',
    hole: 'cookies lock the user out',
    tests: inFile('sign-in.test.ts', 'X24 the maximum of cookies', 'X24 no response sets a cookie'),
  },
  {
    id: 'V17',
    hole: 'refused connections stay',
    attacks: ['holds fifty connections'],
    tests: inFile('sign-in.test.ts', 'X32 refused upgrades are closed', 'X32 the oldest unauthenticated'),
  },
  { id: 'V18', hole: 'another user takes our runtime directory', attacks: ['takes the name of the runtime'] },
  {
    id: 'V19',
    hole: 'no HSTS with TLS',
    tests: inFile('sign-in.test.ts', 'X31 with TLS, a host name uses HSTS'),
  },
];

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** The path of a test file; undefined if it is gone. */
export function pathOf(file: string): string | undefined {
  return testFiles().find((path) => basename(path) === file);
}

let files: readonly string[] | undefined;
function testFiles(): readonly string[] {
  if (files === undefined) {
    const packages = readdirSync(join(ROOT, 'packages')).map((name) => `packages/${name}/test`);
    const folders = [...packages, 'e2e'].filter((folder) => existsSync(join(ROOT, folder)));
    files = folders.flatMap((folder) => readdirSync(join(ROOT, folder)).map((name) => `${folder}/${name}`));
  }
  return files;
}

/** Whether the file still has a test with that title. */
export function hasTest({ file, title }: HeldBy): boolean {
  const path = pathOf(file);
  if (path === undefined || !existsSync(join(ROOT, path))) return false;
  return readFileSync(join(ROOT, path), 'utf8').includes(title);
}

interface Outcome {
  readonly passed: number;
  readonly failed: number;
}

interface Report {
  readonly testResults: readonly {
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[];
  }[];
}

/** Runs the tests of all findings; the outcome of one by its file and title. */
export async function runTests(): Promise<(held: HeldBy) => Outcome> {
  const all = FINDINGS.flatMap(({ tests = [] }) => tests);
  const results: { file: string; name: string; isPassed: boolean }[] = [];
  for (const file of new Set(all.map((held) => held.file))) {
    const titles = all.filter((held) => held.file === file).map(({ title }) => title);
    const { testResults } = await vitest(pathOf(file) ?? file, titles.map(patternOf).join('|'));
    for (const { fullName, status } of testResults.flatMap(({ assertionResults }) => assertionResults))
      if (status === 'passed' || status === 'failed')
        results.push({ file, name: fullName, isPassed: status === 'passed' });
  }
  return ({ file, title }) => {
    const pattern = new RegExp(patternOf(title));
    const own = results.filter((result) => result.file === file && pattern.test(result.name));
    return {
      passed: own.filter(({ isPassed }) => isPassed).length,
      // A title that no test has is a failure.
      failed: own.length === 0 ? 1 : own.filter(({ isPassed }) => !isPassed).length,
    };
  };
}

const patternOf = (title: string) => title.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll('%s', '.*');

function vitest(path: string, pattern: string): Promise<Report> {
  const project = path.includes('.browser.') || path.startsWith('e2e/') ? 'e2e' : 'unit';
  const args = ['run', '--project', project, path, '-t', pattern, '--reporter=json'];
  const program = join(ROOT, 'node_modules/vitest/vitest.mjs');
  const child = spawn(process.execPath, [program, ...args], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', () => resolve(JSON.parse(text.slice(text.indexOf('{"'))) as Report));
  });
}
