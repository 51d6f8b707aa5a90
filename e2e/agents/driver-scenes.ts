/**
 * Scenes that need the agent's own processes and calls, not a page: every real agent behind the product's own driver.
 * Registered by agents.test.ts.
 */
import { findAgent } from '@tugdeck/agents/catalog';
import { CONTRACT } from '@tugdeck/drivers/kit/contract';
import { driverFor } from '@tugdeck/drivers/known-drivers';
import { openEntries } from '@tugdeck/protocol/conversation/state';
import type { RealAgent } from '@tugdeck/testkit/agents';
import { kill9, waitFor } from '@tugdeck/testkit/process-facts';
import { shortAnswer } from '@tugdeck/testkit/scenarios';
import { text, toolUse } from '@tugdeck/testkit/script';
import { afterEach, expect, test } from 'vitest';
import { type LiveAgent, openPlace, type Place } from './live-agent.ts';
import { began, type Row, saw } from './matrix.ts';
import { commandRuns, ENDLESS } from './running-command.ts';

export function driverScenes(agent: RealAgent): void {
  let place: Place;
  const open = async (...rows: Row[]): Promise<void> => {
    began(agent, rows);
    place = await openPlace(agent);
  };

  afterEach(async () => {
    await place?.close();
  });

  test('A2 the contract of every driver holds with the real program', async () => {
    await open('Protocol', 'Driver contract');
    const known = findAgent(agent);
    for (const { run } of CONTRACT) {
      await run({
        driver: driverFor(known?.protocol ?? ''),
        start: () => place.startOf(),
        prompts: { text: 'SCN:text', permission: 'SCN:bash', endless: 'SCN:hold' },
        uuid: () => crypto.randomUUID(),
      });
    }
    saw(agent, 'Protocol', known?.protocol === 'acp' ? 'ACP' : `its own protocol, ${known?.protocol}`);
    saw(agent, 'Driver contract');
  });

  function sound(live: LiveAgent): void {
    expect(live.sink.breaches).toEqual([]);
    expect(live.sink.state.unrecognized.count).toBe(0);
    expect(openEntries(live.sink.state)).toEqual([]);
    expect(place.fake.strayRequests).toEqual([]);
  }

  async function runEndless(live: LiveAgent): Promise<void> {
    place.fake.script('endless', [toolUse('Bash', ENDLESS), text('Waited.')]);
    live.send('SCN:endless');
    live.reply(await live.request(), { type: 'permission', behavior: 'allow' });
    await waitFor(() => commandRuns(place.sandbox), { what: 'the command to run', timeoutMs: 60_000 });
  }

  async function ended(live: LiveAgent): Promise<void> {
    expect(await live.end()).toEqual([]);
    expect(place.sandbox.strays()).toEqual([]);
  }

  test('H8 L8 no process of a canceled command outlives the agent', async () => {
    await open('Nothing left: end after a canceled command');
    const live = await place.start();
    await runEndless(live);
    live.agent.cancel();
    await live.idle();
    expect(live.ending).toBe('cancelled');
    expect(live.tools.map(({ state }) => state)).toEqual(['interrupted']);
    sound(live);
    await ended(live);
    saw(agent, 'Nothing left: end after a canceled command');
  });

  test('L8 an agent killed while a command runs leaves no process', async () => {
    await open('Nothing left: kill -9 of the agent');
    const live = await place.start();
    await runEndless(live);
    kill9(live.pid);
    await live.gone();
    expect(await live.endTree()).toEqual([]);
    await waitFor(() => place.sandbox.strays().length === 0, { what: 'the last process to be gone' });
    saw(agent, 'Nothing left: kill -9 of the agent');
  });

  test('A40 A42 lists its own sessions, reads one from its beginning and continues it', async () => {
    await open(
      'Its own sessions are listed',
      'A listed session is read and continued',
      'A copy of a session',
    );
    const first = await place.start();
    await first.turn('SCN:bash the first words');
    const id = first.sink.state.facts.agentSession;
    if (id === undefined) throw new Error('it has no session id');
    const { canFork } = first.sink.state.facts;
    sound(first);
    await ended(first);

    // Skipped where resuming would lose the session.
    const isSafe = !findAgent(agent)?.unsafeCalls?.includes('session/load');
    const other = await place.start(isSafe ? { kind: 'resume', id, replayHistory: true } : undefined);
    const own = ((await other.agent.sessions?.()) ?? []).find((session) => session.id === id);
    saw(agent, 'Its own sessions are listed', own ? `yes, called “${own.title ?? ''}”` : 'no');
    if (!own) return ended(other);
    expect(own.directory).toBe(place.sandbox.project);
    const kinds = other.entries.map(({ kind }) => kind);
    expect(kinds[0]).toBe('user');
    expect(kinds).toContain('tool');
    expect(other.textOf('text')).toContain('The file is made.');
    await other.turn('SCN:text');
    expect(other.textOf('text')).toContain(shortAnswer);
    const call = await place.fake.called({ kind: 'answer', keyword: 'text' });
    expect(JSON.stringify(call.body)).toContain('the first words');
    sound(other);
    saw(agent, 'A listed session is read and continued', `yes, in ${kinds.length} entries`);
    await ended(other);
    if (canFork === undefined) {
      saw(agent, 'A copy of a session', 'no');
      return;
    }

    place.fake.script('copied', [text('The copy continues.')]);
    const copy = await place.start({ kind: 'fork', id, replayHistory: true });
    expect(copy.sink.state.facts.agentSession).not.toBe(id);
    const history = copy.entries.length;
    await copy.turn('SCN:copied');
    const asked = await place.fake.called({ kind: 'answer', keyword: 'copied' });
    expect(JSON.stringify(asked.body)).toContain('the first words');
    sound(copy);
    saw(agent, 'A copy of a session', history > 0 ? 'yes, with its history' : 'yes, without replaying it');
    await ended(copy);
  }, 300_000);
}
