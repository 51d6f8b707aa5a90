/** Moves a session to its workspace before its first message is sent (B1, B2). */
import type { Client } from '@tugdeck/client/client';
import { newId } from '@tugdeck/client/new-id';
import type { FirstPrompt } from '../../kit/first-message.ts';
import { otherAttempts } from './attempts.ts';
import { detailsOf, planOf, rememberedStarts, startPlace } from './start.ts';
import { startAttempts } from './start-attempts.ts';

/** A plan is read within milliseconds; without one the session starts in the checkout. */
const PLAN_MS = 5_000;

/** Undefined if the session stays where it is. */
export function placeSession(
  client: Client,
  session: string,
  prompt: FirstPrompt,
): Promise<void> | undefined {
  return planOf(session).get() ? place(client, session, prompt) : placeLater(client, session, prompt);
}

async function placeLater(client: Client, session: string, prompt: FirstPrompt): Promise<void> {
  await known(session);
  await place(client, session, prompt);
}

function place(client: Client, session: string, prompt: FirstPrompt): Promise<void> | undefined {
  const deck = client.deck.get();
  const row = deck?.sessions.find(({ id }) => id === session);
  if (!deck || !row) return undefined;
  if (otherAttempts(session).get().length > 0) {
    if (planOf(session).get()?.refusal === undefined) return startAttempts(client, row, prompt);
  }
  const start = startPlace(deck, row, planOf(session).get(), rememberedStarts.get()[row.project], Date.now());
  if (start.kind === 'existing') return undefined;
  if (start.kind === 'new') {
    const { base, withChanges } = detailsOf(session).get();
    const create = {
      title: prompt.text.slice(0, 2_000),
      ...(base === undefined ? {} : { base }),
      ...(withChanges ? { withChanges } : {}),
    };
    return client.request({ type: 'session.place', session, workspace: { id: newId(), create }, prompt });
  }
  // Its workspace could not be created, and the user chose the checkout instead.
  return row.workspace === undefined ? undefined : client.request({ type: 'session.place', session });
}

function known(session: string): Promise<void> {
  return new Promise((resolve) => {
    const plan = planOf(session);
    const timer = setTimeout(done, PLAN_MS);
    const unsubscribe = plan.subscribe(done);
    function done() {
      clearTimeout(timer);
      unsubscribe();
      resolve();
    }
  });
}
