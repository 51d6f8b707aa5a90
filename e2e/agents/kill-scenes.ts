/** Kills hosts and servers while a real ACP agent waits for an answer, each in a separate deck. Registered by agents.test.ts. */
import type { RealAgent } from '@tugdeck/testkit/agents';
import { kill9, waitFor, waitGone } from '@tugdeck/testkit/process-facts';
import { afterEach, expect, test } from 'vitest';
import { type Deck, openDeck, send } from '../deck.ts';
import { began, type Row, saw } from './matrix.ts';

export function killScenes(agent: RealAgent): void {
  let deck: Deck;
  afterEach(() => deck?.close());

  async function asking(row: Row): Promise<void> {
    began(agent, [row]);
    deck = await openDeck({ agent });
    const { page } = await deck.page();
    page.setDefaultTimeout(90_000);
    await send(page, 'SCN:bash');
    await page.getByRole('group', { name: /^Permission: / }).waitFor();
  }

  test('L8 the host killed while the agent waits for an answer: the agent and its processes end', async () => {
    await asking('Nothing left: kill -9 of the host');
    const [first, host] = [await deck.pidOf('agent'), await deck.pidOf('host')];
    kill9(host);
    await waitGone(first);
    await deck.run('stop', '--all');
    await waitFor(() => deck.sandbox.strays().length === 0, { what: 'the last process to be gone' });
    saw(agent, 'Nothing left: kill -9 of the host');
  });

  test('L8 the server killed while the agent waits for an answer, then stop --all: no process is left', async () => {
    await asking('Nothing left: kill -9 of the server, then stop --all');
    await deck.killServer();
    const { code } = await deck.run('stop', '--all');
    expect(code).toBe(0);
    await waitFor(() => deck.sandbox.strays().length === 0, { what: 'the last process to be gone' });
    saw(agent, 'Nothing left: kill -9 of the server, then stop --all');
  });
}
