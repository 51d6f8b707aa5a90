// Project configuration that the real, pinned agent uses, and the user's configuration besides it.
import { existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pendingRequests } from '@tugdeck/protocol/conversation/state';
import { claudeBinary } from '@tugdeck/testkit/agents';
import { claudeEnvironment } from '@tugdeck/testkit/clean-env';
import { type FakeAnthropic, startFakeAnthropic } from '@tugdeck/testkit/fake-anthropic';
import { echoOf, mcpServers } from '@tugdeck/testkit/mcp-server';
import { text, toolUse } from '@tugdeck/testkit/script';
import { createSandbox, type Sandbox } from '@tugdeck/testkit/temp';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { claudeDriver } from '../src/claude/driver.ts';
import { acceptFolder } from '../src/claude/folder-trust.ts';
import { ContractSink } from '../src/kit/contract.ts';
import type { AgentStart } from '../src/kit/port.ts';

let fake: FakeAnthropic;
let sandbox: Sandbox;
let recorded: string[];

beforeEach(async () => {
  fake = await startFakeAnthropic();
  sandbox = await createSandbox();
  recorded = [];
});
afterEach(async () => {
  await fake.close();
  await sandbox.dispose();
});

function put(path: string, content: string | object): void {
  const file = join(sandbox.project, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
}

async function turn(more: Partial<AgentStart>, words: string): Promise<ContractSink> {
  const sink = new ContractSink();
  sink.record = (direction, line) => {
    recorded.push(`${direction} ${line}`);
  };
  const agent = claudeDriver.start(
    {
      command: claudeBinary(),
      args: [],
      directory: sandbox.project,
      environment: claudeEnvironment(sandbox, fake),
      session: { kind: 'new', id: crypto.randomUUID() },
      maxLine: 16 << 20,
      ...more,
    },
    sink,
  );
  await sink.until('it was ready', ({ isReady }) => isReady);
  const id = crypto.randomUUID();
  sink.send(agent, { id, text: words });
  await sink.until('the end', ({ state }) => {
    for (const request of pendingRequests(state)) {
      const answer = { type: 'permission', behavior: 'allow' } as const;
      sink.fold({ kind: 'request.settled', entry: request.id, status: 'answered', answer });
      agent.answer(request, answer);
    }
    return state.turn === null;
  });
  agent.end();
  await sink.until('its exit', ({ exit }) => exit !== undefined);
  expect(sink.breaches).toEqual([]);
  expect(sink.state.unrecognized.count).toBe(0);
  return sink;
}

test('X36 project configuration takes effect only with trust', async () => {
  const hook = { hooks: [{ type: 'command', command: 'touch hook-ran.txt' }] };
  put('.claude/settings.json', {
    hooks: { UserPromptSubmit: [hook] },
    permissions: { allow: ['Bash(touch:*)'] },
    enableAllProjectMcpServers: true,
  });
  put('.claude/settings.local.json', { hooks: { Stop: [hook] } });
  put('.mcp.json', { mcpServers });
  put('.claude/commands/greet.md', 'Greet');
  put('CLAUDE.md', 'INSTRUCTIONS-OF-THE-PROJECT');
  const seen = (): boolean => JSON.stringify(fake.requests).includes('INSTRUCTIONS-OF-THE-PROJECT');

  const without = await turn({ untrusted: true }, 'Hello');
  expect(existsSync(join(sandbox.project, 'hook-ran.txt'))).toBe(false);
  expect(seen()).toBe(false);
  expect(without.state.facts.mcpServers).toEqual([]);
  expect(without.state.facts.commands?.some(({ name }) => name === 'greet')).toBe(false);

  const trusted = await turn({}, 'Hello');
  expect(existsSync(join(sandbox.project, 'hook-ran.txt'))).toBe(true);
  expect(seen()).toBe(true);
  expect(trusted.state.facts.mcpServers).toMatchObject([{ name: 'testkit' }]);
  expect(trusted.state.facts.commands?.some(({ name }) => name === 'greet')).toBe(true);
  // The agent has its own trust and reports that it ignores the rule.
  const notices = trusted.changes.flatMap((change) =>
    change.kind === 'entry.opened' && change.entry.kind === 'notice' ? [change.entry.text] : [],
  );
  expect(notices).toEqual([expect.stringContaining('Type /trust')]);

  const start = { environment: claudeEnvironment(sandbox, fake), directory: sandbox.project };
  expect(await acceptFolder({ ...start, untrusted: true })).toMatchObject({ ok: false });
  const file = join(start.environment.CLAUDE_CONFIG_DIR ?? sandbox.home, '.claude.json');
  const before = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
  expect(await acceptFolder(start)).toMatchObject({ ok: true });
  const { projects, ...rest } = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
  expect(rest).toEqual(Object.fromEntries(Object.entries(before).filter(([key]) => key !== 'projects')));
  expect(projects).toMatchObject({ [realpathSync(sandbox.project)]: { hasTrustDialogAccepted: true } });
  // The agent follows the rule now: no warning.
  const accepted = await turn({}, 'Hello');
  expect(accepted.changes.some((change) => JSON.stringify(change).includes('permissions.allow'))).toBe(false);
});

test('X40 leaves an unreadable settings file alone when a folder is accepted', async () => {
  const start = { environment: { HOME: sandbox.home }, directory: sandbox.project };
  const file = join(sandbox.home, '.claude.json');
  writeFileSync(file, '{ "projects": ');
  expect(await acceptFolder(start)).toMatchObject({ ok: false });
  expect(readFileSync(file, 'utf8')).toBe('{ "projects": ');
  expect(readdirSync(sandbox.home).filter((name) => name.startsWith('.claude.json'))).toEqual([
    '.claude.json',
  ]);
});

test('A16 configured servers and directories reach the agent; keys reach neither its command line nor the recording', async () => {
  const extra = await createSandbox({ files: { 'far.txt': 'from afar' } });
  try {
    fake.script('echo', [
      toolUse('mcp__testkit__echo', { text: 'ahoy' }),
      toolUse('Read', { file_path: join(extra.project, 'far.txt') }),
      text('Heard.'),
    ]);
    const sink = await turn({ mcpServers, directories: [extra.project], untrusted: true }, 'SCN:echo');
    expect(JSON.stringify(fake.requests)).toContain(echoOf('ahoy'));
    expect(JSON.stringify(fake.requests)).toContain('from afar');
    expect(sink.state.facts.mcpServers).toMatchObject([{ name: 'testkit', status: 'connected' }]);
    expect(recorded.join('\n')).toContain('"env":{"TESTKIT_SIGN":"(hidden)"}');
    expect(recorded.join('\n')).not.toContain(mcpServers.testkit.env.TESTKIT_SIGN);
  } finally {
    await extra.dispose();
  }
});
