/** What terminals run: a session in its agent's own interface, and when that is refused; tmux sessions. */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { agentTerminalLaunch } from '../src/terminals/agent-terminal.ts';
import { terminalEnvironment } from '../src/terminals/shell-launch.ts';
import { parseSessions } from '../src/terminals/tmux.ts';

const place = mkdtempSync(join(tmpdir(), 'tugdeck-launch-'));
afterAll(() => rmSync(place, { recursive: true }));

type Ports = Parameters<typeof agentTerminalLaunch>;

function ports({ agent = 'claude', summary = {}, path = place } = {}) {
  const released: string[] = [];
  const sessions = {
    row: () => ({ summary: { agentSession: 'abc-123', entries: 4, turn: 'idle', ...summary } }),
    launch: () => ({
      agent: { name: agent, label: 'Agent', command: join(place, agent) },
      directory: '/work/project',
      environment: { PATH: path, TMUX: 'x', HOME: '/home/me' },
    }),
  } as unknown as Ports[1];
  const pool = {
    release: async (session: string) => {
      released.push(session);
    },
  } as Ports[2];
  return { released, run: () => agentTerminalLaunch('s1', sessions, pool) };
}

describe("A41 a session in its agent's own interface", () => {
  test('A41 our host releases it first, and the agent resumes its own session', async () => {
    writeFileSync(join(place, 'claude'), '#!/bin/sh\n');
    chmodSync(join(place, 'claude'), 0o755);
    const { released, run } = ports();
    const launch = await run();
    expect(launch).toMatchObject({ file: join(place, 'claude'), directory: '/work/project' });
    expect(launch.args).toContain('abc-123');
    expect(launch.environment).toMatchObject({ HOME: '/home/me', TERM: 'xterm-256color' });
    expect(launch.environment.TMUX).toBeUndefined();
    expect(released).toEqual(['s1']);
  });

  test.each([
    ['while a turn runs', { summary: { turn: 'running' } }, 'SESSION_BUSY'],
    ['before the agent has it', { summary: { agentSession: undefined } }, 'SESSION_NOT_FOUND'],
    ['before the first message', { summary: { entries: 0 } }, 'SESSION_NOT_FOUND'],
    ['for an agent without one', { agent: 'nobody' }, 'AGENT_UNAVAILABLE'],
  ])('A41 it is refused %s, and our host keeps it', async (_, options, code) => {
    const { released, run } = ports(options);
    await expect(run()).rejects.toMatchObject({ code });
    expect(released).toEqual([]);
  });
});

describe('W1 terminal environment', () => {
  test('W14 lists tmux sessions with any name; skips invalid lines', () => {
    expect(parseSessions('2\t1\tmy work\n1\t0\ta\tb\nno server running\n\n')).toEqual([
      { name: 'my work', windows: 2, attached: true },
      { name: 'a\tb', windows: 1, attached: false },
    ]);
  });
  test('L9 no traces of the terminal that started our server, and a UTF-8 locale', () => {
    const environment = terminalEnvironment({
      TMUX: '1',
      COLUMNS: '9',
      VSCODE_X: 'y',
      LANG: 'de_DE.UTF-8',
      A: 'b',
    });
    expect(environment).toMatchObject({ A: 'b', LANG: 'de_DE.UTF-8', COLORTERM: 'truecolor' });
    expect(Object.keys(environment)).not.toEqual(expect.arrayContaining(['TMUX']));
    expect(environment).not.toHaveProperty('COLUMNS');
    expect(terminalEnvironment({}).LANG).toMatch(/UTF-8/);
  });
});
