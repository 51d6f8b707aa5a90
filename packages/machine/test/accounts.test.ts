import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AccountsState } from '@tugdeck/protocol/areas/accounts';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Accounts } from '../src/agents/accounts.ts';
import { serveAccounts } from '../src/agents/accounts-area.ts';

let home: string;
let environment: Record<string, string>;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'tugdeck-accounts-'));
  mkdirSync(join(home, 'bin'));
  environment = { HOME: home, PATH: `${join(home, 'bin')}:/usr/bin:/bin` };
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

/** A program that writes down how it was called, and is signed in if a file exists. */
function install(name: string): void {
  const script = `#!/bin/sh\necho "$PWD $*" >> ${join(home, `${name}.log`)}\ntest -e ${join(home, `${name}.in`)}\n`;
  writeFileSync(join(home, 'bin', name), script, { mode: 0o755 });
}
const calls = (name: string) =>
  readFileSync(join(home, `${name}.log`), 'utf8')
    .trim()
    .split('\n');

function open(isPassive: boolean, agent?: string) {
  const accounts = new Accounts({
    agents: () =>
      ['claude', 'claude-acp', 'codex', 'gemini', 'opencode', 'demo', 'own'].map((name) => ({
        name,
        label: name,
        installed: name !== 'opencode',
      })),
    environment: () => environment,
    home,
  });
  const states: AccountsState[] = [];
  const asked: { launch?: object; project?: string }[] = [];
  const area = serveAccounts({
    accounts,
    projects: { get: () => ({}) as never },
    terminals: { request: async (message: object) => asked.push(message) as never },
  }).open(
    { isPassive, ...(agent === undefined ? {} : { agent }) },
    {
      push: (message) => states.push((message as { state: AccountsState }).state),
      bytes: () => undefined,
      signIn: 'x',
    },
  );
  const call = (type: string, input: object = {}) => area.call({ type, ...input }) as Promise<AccountsState>;
  return { states, asked, call, close: () => area.close() };
}

const statesOf = ({ accounts }: AccountsState) =>
  Object.fromEntries(accounts.map(({ agent, state }) => [agent, state]));

test('A62 shows which agents are signed in, by their own status command, once per account', async () => {
  install('claude');
  install('codex');
  writeFileSync(join(home, 'codex.in'), '');
  const { call, states, close } = open(false);
  const checked = await call('check');
  expect(statesOf(checked)).toEqual({ claude: 'out', 'claude-acp': 'out', codex: 'in', gemini: 'unknown' });
  expect(states[0]?.accounts.map(({ state }) => state)).not.toContain('out');
  expect(calls('claude')).toEqual(['/ auth status']);
  expect(calls('codex')).toEqual(['/ login status']);
  environment.GEMINI_API_KEY = 'x';
  writeFileSync(join(home, 'claude.in'), '');
  expect(statesOf(await call('check'))).toEqual({
    claude: 'in',
    'claude-acp': 'in',
    codex: 'in',
    gemini: 'in',
  });
  close();
});

test('A62 a composer checks its own agent once, and runs nothing else', async () => {
  install('claude');
  install('codex');
  const { states, close } = open(true, 'codex');
  await expect.poll(() => statesOf(states.at(-1) as AccountsState).codex).toBe('out');
  expect(statesOf(states.at(-1) as AccountsState).claude).toBe('unknown');
  expect(() => calls('claude')).toThrow();
  expect(calls('codex')).toHaveLength(1);
  close();
});

test('A62 a key in a variable and another provider need no program', async () => {
  install('claude');
  install('codex');
  environment.ANTHROPIC_API_KEY = 'x';
  mkdirSync(join(home, '.codex'));
  writeFileSync(join(home, '.codex', 'config.toml'), 'model_provider = "own"\n');
  const { call, close } = open(true);
  expect(statesOf(await call('check'))).toMatchObject({ claude: 'in', codex: 'unknown' });
  expect(() => calls('claude')).toThrow();
  expect(() => calls('codex')).toThrow();
  close();
});

test('A62 signing in and out is the agent’s own command in a terminal outside of projects', async () => {
  install('codex');
  const { call, asked, close } = open(true);
  const size = { cols: 80, rows: 24 };
  const terminal = '6ba7b810-9dad-41d1-80b4-00c04fd430c8';
  await call('open', { agent: 'codex', way: 'in', project: 'p', terminal, size });
  await call('open', { agent: 'codex', way: 'out', project: 'p', terminal, size });
  const file = join(home, 'bin', 'codex');
  expect(asked).toMatchObject([
    { project: 'p', name: 'Sign in: codex', launch: { file, args: ['login'], directory: home } },
    { project: 'p', name: 'Sign out: codex', launch: { file, args: ['logout'], directory: home } },
  ]);
  await expect(
    call('open', { agent: 'gemini', way: 'out', project: 'p', terminal, size }),
  ).rejects.toMatchObject({
    code: 'AGENT_UNAVAILABLE',
  });
  close();
});
