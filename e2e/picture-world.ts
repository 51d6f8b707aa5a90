/** A deck for the picture tour: two projects, and sessions of the real agent, the demo agent and another program in every state. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ClaudeProcess, startClaude } from '@tugdeck/testkit/claude-process';
import { kill9 } from '@tugdeck/testkit/process-facts';
import { failure, type Step, text, thinking, toolUse } from '@tugdeck/testkit/script';
import { type Deck, openDeck } from './deck.ts';

const PROGRAM = fileURLToPath(new URL('../dist/tugdeck.mjs', import.meta.url));
/** Refuses while the file exists, leaves its pid, and becomes the carrier. */
const GATE = 'test ! -e "$0" || { echo "no route to host" >&2; exit 255; }; echo $$ > "$0.pid"; exec "$@"';

export interface PictureWorld {
  readonly deck: Deck;
  /** Ids of sessions by the beginning of their prompt. */
  readonly sessions: Readonly<Record<string, string>>;
  /** Runs a local web server of the project; resolves with its port. */
  startApp(): Promise<number>;
  /** Cuts the link to the other machine. */
  cut(): void;
  close(): Promise<void>;
}

const git = (directory: string, ...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=Ada Example', '-c', 'user.email=ada@example.org', ...args], {
    cwd: directory,
    encoding: 'utf8',
  });

function put(directory: string, name: string, content: string): void {
  const file = join(directory, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
}

const PRICES = `/** Prices of an order, in cents. */
export interface Line {
  readonly fruit: string;
  readonly crates: number;
  readonly price: number;
}

export function total(lines: readonly Line[], discount = 0): number {
  const sum = lines.reduce((all, line) => all + line.crates * line.price, 0);
  return Math.round(sum * (1 - discount));
}
`;

/** A repository with a history, a merge, a stash, another branch, and changes in every group. */
function repository(project: string): void {
  git(project, 'init', '-q', '-b', 'main');
  git(project, 'config', 'user.name', 'Ada Example');
  git(project, 'config', 'user.email', 'ada@example.org');
  put(
    project,
    'package.json',
    '{ "name": "orchard", "type": "module", "scripts": { "test": "node --test" } }\n',
  );
  put(project, 'README.md', '# Orchard\n\nOrders of fruit, from the tree to the door.\n');
  put(project, 'src/prices.ts', PRICES);
  git(project, 'add', '-A');
  git(project, 'commit', '-qm', 'Start the orchard');
  git(project, 'checkout', '-qb', 'feature/responsive-navigation-for-small-screens');
  put(project, 'src/navigation.ts', 'export const items = ["orders", "trees", "people"];\n');
  git(project, 'add', '-A');
  git(
    project,
    'commit',
    '-qm',
    'Let the navigation fold on screens under 640 pixels, with a button that names the page',
  );
  git(project, 'checkout', '-q', 'main');
  put(project, 'src/orders.ts', 'export const orders = [];\n');
  git(project, 'add', '-A');
  git(project, 'commit', '-qm', 'Add orders');
  git(
    project,
    'merge',
    '-q',
    '--no-ff',
    '-m',
    'Merge the navigation',
    'feature/responsive-navigation-for-small-screens',
  );
  git(project, 'tag', 'v0.1.0');
  put(project, 'src/orders.ts', 'export const orders = [1];\n');
  git(project, 'stash', '-q', '-m', 'An order to try things with');
  put(project, 'src/prices.ts', PRICES.replace('Math.round(', 'Math.floor('));
  put(project, 'README.md', '# Orchard\n\nOrders of fruit, from the tree to the door, every day.\n');
  git(project, 'add', 'README.md');
  put(
    project,
    'docs/a-rather-long-folder-name/notes-about-prices-and-discounts.md',
    '- Ask about rounding\n',
  );
}

const SLOW_BUILD = `The build spends **most of its time** in two places:

| Step | Seconds | Share |
|---|---:|---:|
| Type check | 41.2 | 63 % |
| Bundle | 18.0 | 27 % |
| Copy assets | 6.4 | 10 % |

1. The type check reads the tests twice, because \`tsconfig.test.json\` includes \`src\`.
2. The bundle has two copies of the date library.

\`\`\`ts
export default defineConfig({
  resolve: { dedupe: ['date-fns'] },
});
\`\`\`
`;

const asks = (why: string, command: string): Step[] => [
  [text(why), toolUse('Bash', { command, description: 'Publish the package' })],
  text('Done.'),
];

/** Answers of the model by prompt. */
const SCRIPTS: Readonly<Record<string, (cwd: string) => readonly Step[]>> = {
  'Why is the build slow': (cwd) => [
    [
      thinking('The user wants the causes with figures. I’ll look at the configuration first.'),
      text('I’ll look at the configuration.'),
      toolUse('Read', { file_path: join(cwd, 'package.json') }),
      toolUse('Read', { file_path: join(cwd, 'src/prices.ts') }),
    ],
    text(SLOW_BUILD),
  ],
  'Greet people by their first name': (cwd) => [
    [
      text('I’ll add a function, and use it for orders.'),
      toolUse('Write', {
        file_path: join(cwd, 'src/first-name.ts'),
        content:
          "export function firstName(name: string): string {\n  return name.trim().split(' ')[0] ?? '';\n}\n",
      }),
    ],
    [
      toolUse('Write', {
        file_path: join(cwd, 'CHANGELOG.md'),
        content: '# Changes\n\n- People are greeted by their first name.\n',
      }),
    ],
    text('People are greeted by their first name now.'),
  ],
  'Publish version 0.2': () =>
    asks('Everything is committed. I’ll publish it now.', 'npm publish --tag next'),
  'Explain how orders are priced': () => [
    [
      thinking('Prices come from three places.'),
      text(
        'Prices come from three places. The catalog has the base price, and each customer has a discount.',
      ),
      toolUse('Bash', {
        command: 'for i in 1 2 3 4 5 6 7 8 9; do echo "order $i: 12.40"; done; tail -f /dev/null',
        description: 'List the orders',
      }),
    ],
    text('Done.'),
  ],
  'Check the API': () => [failure(529)],
};

export async function openPictureWorld(): Promise<PictureWorld> {
  const devbox = await openDeck({ withoutAgent: true, projectName: 'shop' });
  const gate = join(devbox.sandbox.root, 'cut');
  const variables = Object.entries(devbox.environment).map(([name, value]) => `${name}=${value}`);
  const bridge = ['/usr/bin/env', '-i', ...variables, process.execPath, PROGRAM, 'bridge'];
  const config = {
    maxTurns: 1,
    maxLiveHosts: 30,
    agents: { claude: { mode: 'acceptEdits' } },
    machines: { devbox: { command: ['/bin/sh', '-c', GATE, gate, ...bridge] } },
    workspaces: { run: { dev: 'npm run dev', 'test and watch': 'npm test' } },
  };
  const deck = await openDeck({
    projectName: 'orchard',
    config,
    prepare: async ({ project }) => {
      repository(project);
      return async () => undefined;
    },
  });
  deck.fake.script('unmarked', ({ userText, cwd }) => {
    const [, script] = Object.entries(SCRIPTS).find(([prompt]) => userText.includes(prompt)) ?? [];
    return script?.(cwd) ?? [text('Two of 41 are unused: `/v1/ping` and `/v1/legacy`.')];
  });
  const other: ClaudeProcess = await startClaude(deck.sandbox, deck.fake);
  other.prompt('Summarize the open issues of this week');
  await other.line(({ type }) => type === 'result', 'the end of the turn');
  const garden = join(deck.sandbox.root, 'garden');
  mkdirSync(garden);
  put(garden, 'index.html', '<h1>Garden</h1>\n');
  put(
    garden,
    '.claude/settings.json',
    JSON.stringify({
      permissions: { allow: ['Bash(npm test)', 'Bash(git status)'] },
      hooks: {
        PreToolUse: [{ matcher: 'Bash', hooks: [{ command: 'node scripts/check-command.mjs --strict' }] }],
      },
      env: { GARDEN_API: 'http://localhost:8080' },
    }),
  );
  put(
    garden,
    '.mcp.json',
    JSON.stringify({ mcpServers: { notes: { command: 'npx', args: ['-y', 'notes-mcp'] } } }),
  );
  put(garden, 'CLAUDE.md', 'Water the plants.\n');
  await deck.run('--no-open', garden);
  const website = join(deck.sandbox.root, 'a-website-with-a-rather-long-name');
  mkdirSync(website);
  put(website, 'index.html', '<h1>Orchard</h1>\n');
  const apps: ChildProcess[] = [];
  const sessions: Record<string, string> = {};
  const start = async (
    prompt: string,
    { agent = 'claude', dir = deck.sandbox.project, wait = false, workspace = '' } = {},
  ) => {
    const { stdout, stderr, code } = await deck.run(
      ...['send', '--new', '--agent', agent, '--trust', '--dir', dir, ...(wait ? ['--wait', '--json'] : [])],
      ...(workspace === '' ? [] : ['--workspace', workspace]),
      prompt,
    );
    const id = /[\w-]{20,}/.exec(stdout)?.[0];
    if (id === undefined) process.stderr.write(`${prompt}: ${code} ${stdout} ${stderr}\n`);
    sessions[prompt] = id ?? '';
  };
  await start('Why is the build slow?', { wait: true });
  await start('Greet people by their first name', { wait: true });
  await start('Which endpoints are unused?', { wait: true });
  await start('Make the page readable on a phone', { dir: website, wait: true });
  await start('fail', { agent: 'demo', wait: true });
  await start('Check the API', { wait: true });
  await start('subagents', { agent: 'demo', wait: true });
  await start('image', { agent: 'demo', wait: true });
  const made = await deck.run('workspaces', 'new', 'fix login', '--dir', deck.sandbox.project);
  put(made.stdout.trim(), 'src/login.ts', 'export const login = true;\n');
  await start('Look at the login page', { wait: true, workspace: 'fix-login' });
  await start('Publish version 0.2');
  await start('ask', { agent: 'demo' });
  await start('plan', { agent: 'demo' });
  await start('edit src/orders.ts add export const total = 41;', { agent: 'demo' });
  await start('run npm test -- --test-name-pattern "prices of an order with several crates"', {
    agent: 'demo',
  });
  await start('Explain how orders are priced');
  await start('slow 3000', { agent: 'demo' });
  await start('think of rain', { agent: 'demo' });
  return {
    deck,
    sessions,
    startApp: () =>
      new Promise((resolve) => {
        const app = spawn(process.execPath, [fileURLToPath(new URL('preview-app.mjs', import.meta.url))], {
          cwd: deck.sandbox.project,
          stdio: ['pipe', 'pipe', 'inherit'],
        });
        apps.push(app);
        app.stdout.on('data', (chunk: Buffer) => {
          const port = /localhost:(\d+)/.exec(chunk.toString())?.[1];
          if (port !== undefined) resolve(Number(port));
        });
      }),
    cut: () => {
      writeFileSync(gate, '');
      kill9(Number(readFileSync(`${gate}.pid`, 'utf8')));
    },
    close: async () => {
      for (const app of apps) app.kill();
      await other.end();
      await deck.close();
      await devbox.close();
    },
  };
}
