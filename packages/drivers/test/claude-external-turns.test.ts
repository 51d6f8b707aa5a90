// Turns that another program made in one of our sessions are imported once, in order (A42). With the real agent.
import { readFileSync } from 'node:fs';
import { claudeBinary } from '@tugdeck/testkit/agents';
import { startClaude } from '@tugdeck/testkit/claude-process';
import { claudeEnvironment } from '@tugdeck/testkit/clean-env';
import { startFakeAnthropic } from '@tugdeck/testkit/fake-anthropic';
import { createSandbox } from '@tugdeck/testkit/temp';
import { expect, test } from 'vitest';
import { claudeDriver } from '../src/claude/driver.ts';
import { sessionFile } from '../src/claude/history-files.ts';
import { ContractSink } from '../src/kit/contract.ts';
import type { SessionStart } from '../src/kit/port.ts';

test('A42 finds external turns after our last one, once; our sessions are in the agent’s list', async () => {
  const fake = await startFakeAnthropic();
  const sandbox = await createSandbox();
  const environment = claudeEnvironment(sandbox, fake);
  const id = crypto.randomUUID();
  const session: SessionStart = { kind: 'resume', id };
  const place = { environment, directory: sandbox.project, session };
  const ours = new Set<string>();
  const found = (): string[] =>
    (claudeDriver.externalTurns?.(place, (entry) => ours.has(entry)) ?? []).flatMap(({ body }) => {
      if (body.kind === 'prompt.accepted') return [`user: ${body.prompt.text}`];
      return body.kind === 'entry.opened' && 'text' in body.entry ? [`agent: ${body.entry.text}`] : [];
    });
  const say = async (how: SessionStart, words: string): Promise<void> => {
    const sink = new ContractSink();
    const agent = claudeDriver.start(
      { ...place, command: claudeBinary(), args: [], session: how, maxLine: 16 << 20 },
      sink,
    );
    await sink.until('it was ready', ({ isReady }) => isReady);
    const prompt = crypto.randomUUID();
    ours.add(prompt);
    sink.send(agent, { id: prompt, text: words });
    await sink.until('the end', ({ state }) => state.turn === null);
    agent.end();
    await sink.until('its exit', ({ exit }) => exit !== undefined);
  };
  const elsewhere = async (words: string): Promise<void> => {
    const other = startClaude(sandbox, fake, { args: ['--resume', id] });
    other.prompt(words);
    await other.line(({ type }) => type === 'result', 'result');
    await other.end();
  };
  try {
    await say({ kind: 'new', id }, 'Ours first');
    // The list of `claude --resume` omits `sdk-cli`: seen with the pinned version, see docs/agents.md.
    expect(readFileSync(sessionFile(place, id) ?? '', 'utf8')).not.toContain('"entrypoint":"sdk-cli"');
    expect(found()).toEqual([]);
    await elsewhere('Theirs one');
    await elsewhere('Theirs two');
    expect(found()).toEqual([
      'user: Theirs one',
      'agent: You said: Theirs one',
      'user: Theirs two',
      'agent: You said: Theirs two',
    ]);
    await say(session, 'Ours again');
    expect(found()).toEqual([]);
  } finally {
    await fake.close();
    await sandbox.dispose();
  }
});
