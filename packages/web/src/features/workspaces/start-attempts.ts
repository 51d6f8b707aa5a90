/** Starts several attempts with the first message of a session (B37), and shows them beside each other. */
import type { Client } from '@tugdeck/client/client';
import { newId } from '@tugdeck/client/new-id';
import { attempts as attemptsArea } from '@tugdeck/protocol/areas/attempts';
import type { SessionRow } from '@tugdeck/protocol/wire/deck';
import type { FirstPrompt } from '../../kit/first-message.ts';
import { openCard } from '../../kit/layout/open-card.ts';
import { otherAttempts } from './attempts.ts';
import { detailsOf } from './start.ts';

/** Narrower pages show one card at a time. */
const BESIDE = '(min-width: 900px)';

export async function startAttempts(client: Client, row: SessionRow, prompt: FirstPrompt): Promise<void> {
  const { id: session, project } = row;
  const others = otherAttempts(session).get();
  const own = ownChoice(client, session);
  const { base } = detailsOf(session).get();
  const id = newId();
  const area = client.openArea(attemptsArea, { project });
  try {
    await area.call('start', {
      ...{ id, prompt },
      ...(base === undefined ? {} : { base }),
      attempts: [
        { session, workspace: newId(), agent: row.agent },
        ...others.map((one) => {
          const agent = one.agent ?? row.agent;
          // The user already confirmed this mode in the composer's menu.
          const same = agent === row.agent ? { ...own, confirmed: true } : {};
          return {
            ...{ session: newId(), workspace: newId(), agent, ...same },
            ...(one.model === undefined ? {} : { model: one.model }),
            ...(one.mode === undefined ? {} : { mode: one.mode }),
          };
        }),
      ],
    });
  } finally {
    area.close();
  }
  otherAttempts(session).set([]);
  if (matchMedia(BESIDE).matches) openCard('attempts', { project, item: id }, 'right');
}

/** Model and mode as they are in the composer's foot. */
function ownChoice(client: Client, session: string): { model?: string; mode?: string } {
  const channel = client.conversation(session);
  try {
    const { facts, wanted } = channel.view.get().conversation;
    const model = wanted.model ?? facts.models?.find(({ id }) => id === facts.model)?.id;
    const mode = wanted.mode ?? facts.modes?.find(({ id }) => id === facts.mode)?.id;
    return { ...(model === undefined ? {} : { model }), ...(mode === undefined ? {} : { mode }) };
  } finally {
    channel.release();
  }
}
