/**
 * Opens what of ours stands for a slash command of the agent (A15). Gives a sentence where there is nothing to open
 * but something to say.
 */
import type { ConversationChannel } from '@tugdeck/client/conversation-channel';
import { openCard } from '../../../app/dock/open-card.ts';
import { offeredActions } from '../../../app/palette/offered-actions.ts';
import { askShell } from '../../../app/shell-dialog.ts';

export interface SurfacePlace {
  readonly channel: ConversationChannel;
  readonly project: string | undefined;
  /** The card, for what lies in it. */
  readonly card: Element | null;
  readonly write: (text: string) => void;
}

export async function openSurface(
  name: string,
  surface: string,
  place: SurfacePlace,
): Promise<string | undefined> {
  const { channel, card, write } = place;
  const [kind, what] = surface.split(':');
  if (kind === 'control' && what !== undefined) {
    await channel.send({ kind: 'agent.control', what, input: {} });
    return undefined;
  }
  switch (surface) {
    case 'model':
    case 'mode':
    case 'options':
      press(card, surface === 'model' ? 'Model' : surface === 'mode' ? 'Mode' : 'Effort');
      return undefined;
    case 'settings':
      if (openCard('settings', {}) === undefined) {
        await channel.send({ kind: 'agent.control', what: 'settings', input: {} });
      }
      return undefined;
    case 'help':
      // Without a card of its own the list of commands is the help.
      if (openCard('help', { session: channel.session }) === undefined) write('/');
      return undefined;
    case 'sessions':
      askShell({ kind: 'palette' });
      return undefined;
    case 'rewind':
      return 'Choose “Take files back” at one of your messages: the files become what they were before it.';
    case 'terminal':
      return `/${name} needs the agent's own terminal: start the agent there, in this directory.`;
    default:
      choose(surface);
      return undefined;
  }
}

function press(card: Element | null, label: string): void {
  card?.querySelector<HTMLButtonElement>(`.pickers button[aria-label^="${label}"]`)?.click();
}

/** The same that the card's menu does. */
function choose(action: string): void {
  const choices = offeredActions.get();
  const found = choices.find(({ id }) => id === action) ?? choices.find(({ id }) => id === 'markdown');
  if (action === 'export' || found?.id === action) found?.onChoose();
}
