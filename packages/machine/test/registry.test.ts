import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KNOWN_AGENTS } from '@tugdeck/agents/catalog';
import { REGISTRY_AGENTS, REGISTRY_DAY } from '@tugdeck/agents/registry-list';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Registry } from '../src/agents/registry.ts';
import { serveRegistry } from '../src/agents/registry-area.ts';
import { agentSettingsSchema, parseConfiguration } from '../src/configuration.ts';
import { LiveConfiguration } from '../src/settings/live-configuration.ts';

let root: string;
let server: Server | undefined;
let body: string;
let requests: number;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'tugdeck-registry-'));
  requests = 0;
});
afterEach(async () => {
  await new Promise((resolve) => (server ? server.close(resolve) : resolve(undefined)));
  server = undefined;
  rmSync(root, { recursive: true, force: true });
});

async function listen(): Promise<string> {
  const made = createServer((_request, response) => {
    requests++;
    response.end(body);
  });
  server = made;
  await new Promise<void>((resolve) => made.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(made.address() as AddressInfo).port}/registry.json`;
}

interface Shown {
  readonly day: string;
  readonly isBundled: boolean;
  readonly agents: readonly { id: string; runs: string; install?: string; found?: string; state: string }[];
}

function open(url?: string, PATH = '/nowhere') {
  const config = join(root, 'config.json');
  const configuration = new LiveConfiguration(config, {}, () => undefined);
  configuration.subscribe(() => undefined);
  const registry = new Registry({
    file: join(root, 'agent-registry.json'),
    url: () => url,
    now: () => Date.parse('2027-01-02T03:04:05Z'),
  });
  const states: Shown[] = [];
  const out = {
    push: (message: unknown) => states.push((message as { state: Shown }).state),
    bytes: () => undefined,
    congested: false,
    signIn: 'x',
  };
  const area = serveRegistry({ registry, configuration, environment: { PATH } }).open({}, out);
  const call = (type: string, input: object = {}) => area.call({ type, ...input }) as Promise<Shown>;
  return { config, call, states, registry };
}

const listed = (agents: object[]) => JSON.stringify({ version: '1.0.0', agents });

test('A60 the bundled list is shown with its day and without a connection', () => {
  const { states } = open();
  expect(states).toHaveLength(1);
  expect(states[0]).toMatchObject({ day: REGISTRY_DAY, isBundled: true });
  expect(states[0]?.agents).toHaveLength(REGISTRY_AGENTS.length);
  expect(REGISTRY_AGENTS.filter(({ id }) => KNOWN_AGENTS.some(({ name }) => name === id))).toEqual([]);
  for (const { id, npm, python, website } of REGISTRY_AGENTS) {
    expect(id).toMatch(/^[a-z0-9-]{1,50}$/);
    expect(npm ?? python ?? website, id).toBeDefined();
  }
});

test('A60 one click adds the shown command line to the configuration, another removes it', async () => {
  const { config, call, states } = open();
  const goose = states[0]?.agents.find(({ id }) => id === 'goose');
  expect(goose).toMatchObject({ runs: 'goose acp', state: 'offered' });
  await expect(call('add', { id: 'goose', runs: 'goose other' })).rejects.toMatchObject({
    code: 'CONFIGURATION_CHANGED',
  });
  const after = await call('add', { id: 'goose', runs: 'goose acp' });
  expect(after.agents.find(({ id }) => id === 'goose')?.state).toBe('added');
  const written = parseConfiguration(config, readFileSync(config, 'utf8'));
  expect(agentSettingsSchema.parse(written.agents?.goose)).toEqual({
    label: 'goose',
    command: 'goose',
    args: ['acp'],
  });
  const removed = await call('remove', { id: 'goose' });
  expect(removed.agents.find(({ id }) => id === 'goose')?.state).toBe('offered');
  expect(parseConfiguration(config, readFileSync(config, 'utf8')).agents?.goose).toBeUndefined();
});

test('A60 an installed package names its program', () => {
  const bin = join(root, 'bin');
  const folder = join(root, 'lib', 'node_modules', 'dirac-cli');
  mkdirSync(bin);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'dirac-cli', bin: { dirac: 'x.js' } }));
  writeFileSync(join(bin, 'dirac'), '', { mode: 0o755 });
  const { states } = open(undefined, bin);
  const dirac = states[0]?.agents.find(({ id }) => id === 'dirac');
  expect(dirac).toMatchObject({
    runs: 'dirac --acp',
    install: 'npm install -g dirac-cli',
    found: join(bin, 'dirac'),
  });
});

test('A60 X5 the list is downloaded only when asked for, validated, and kept', async () => {
  const url = await listen();
  body = listed([
    {
      id: 'one',
      name: 'One',
      version: '1.0.0',
      description: 'First',
      distribution: { npx: { package: '@scope/one@1.2.3', args: ['--acp'], env: { A: 'b c' } } },
    },
    {
      id: 'two',
      name: 'Two',
      description: 'Second',
      website: 'javascript:alert(1)',
      distribution: {
        binary: { 'linux-x86_64': { archive: 'https://x.example/t', cmd: './dist/two-linux-amd64' } },
      },
    },
    { id: 'three', name: 'Three', description: '', distribution: { uvx: { package: 'three==0.1' } } },
    { id: 'gemini', name: 'In our catalog', description: '', distribution: { npx: { package: 'x' } } },
    { id: '../evil', name: 'Evil', description: '', distribution: { npx: { package: 'x' } } },
    { id: 'option', name: 'Option', description: '', distribution: { npx: { package: '--prefix=/x' } } },
    { id: 'shell', name: 'Shell', description: '', distribution: { npx: { package: 'a; rm -rf /' } } },
    { id: 'path', name: 'Path', description: '', distribution: { npx: { package: 'x', cmd: '../x' } } },
  ]);
  const { call, states } = open(url);
  expect(requests).toBe(0);
  const after = await call('refresh');
  expect(requests).toBe(1);
  expect(after).toMatchObject({ day: '2027-01-02', isBundled: false });
  expect(after.agents).toMatchObject([
    { id: 'one', runs: "A='b c' one --acp", install: 'npm install -g @scope/one' },
    { id: 'two', runs: 'two', website: undefined },
    { id: 'three', runs: 'three', install: 'uv tool install three' },
  ]);
  expect(states).toHaveLength(1);
  expect(open(url).states[0]).toMatchObject({ day: '2027-01-02' });
  expect(requests).toBe(1);
});

test('A60 a list that cannot be used leaves the one that is shown', async () => {
  const url = await listen();
  const { call, registry } = open(url);
  body = 'no JSON';
  await expect(call('refresh')).rejects.toMatchObject({ code: 'DATA_UNREADABLE' });
  body = '{}';
  await expect(call('refresh')).rejects.toMatchObject({ code: 'DATA_UNREADABLE' });
  body = listed([]);
  await expect(call('refresh')).rejects.toMatchObject({ code: 'DATA_UNREADABLE' });
  body = listed([{ id: 'x'.repeat(5 * 1024 * 1024) }]);
  await expect(call('refresh')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  expect(registry.list().isBundled).toBe(true);
  const gone = open('http://127.0.0.1:1/registry.json');
  await expect(gone.call('refresh')).rejects.toMatchObject({ code: 'NOT_FOUND' });
});
