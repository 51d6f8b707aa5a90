/** Opens the part of our UI that implements a slash command (A15). Returns a message if there is nothing to open. */
import type { ConversationChannel } from '@tugdeck/client/conversation-channel';
import { openEntries } from '@tugdeck/protocol/conversation/state';
import { openCard } from '../../../kit/layout/open-card.ts';
import { offeredActions } from '../../../kit/offered-actions.ts';
import { openShellDialog } from '../../../kit/shell-dialog.ts';
import { visibleText } from '../../../kit/visible-text.ts';
import { isListOpen } from '../tasks/TaskList.tsx';
import type { SlashMeaning } from './slash.ts';

export interface SurfacePlace {
  readonly channel: ConversationChannel;
  readonly project: string | undefined;
  /** The card's element. */
  readonly card: Element | null;
  readonly write: (text: string) => void;
}

export async function openSurface(
  { name, surface, words }: Extract<SlashMeaning, { kind: 'surface' }>,
  place: SurfacePlace,
): Promise<string | undefined> {
  const { channel, card, write } = place;
  const [kind, what] = surface.split(':');
  if (kind === 'control' && what !== undefined) {
    await channel.send({ kind: 'agent.control', what, input: {} });
    return undefined;
  }
  if (kind === 'ask' && what !== undefined) {
    if (words === undefined)
      return `Type your question after /${name}. It won’t be added to the conversation.`;
    await channel.send({ kind: 'agent.control', what, input: { question: words } });
    return undefined;
  }
  switch (surface) {
    case 'model':
    case 'mode':
      openPicker(card, surface);
      return undefined;
    case 'options':
      openPicker(card, channel.view.get().conversation.facts.options?.[0]?.id);
      return undefined;
    case 'settings':
      if (openCard('settings', {}) === undefined) {
        await channel.send({ kind: 'agent.control', what: 'settings', input: {} });
      }
      return undefined;
    case 'help':
      // Without a Help card, the command list serves as help.
      if (openCard('help', { session: channel.session }) === undefined) write('/');
      return undefined;
    case 'sessions':
      openShellDialog({ kind: 'palette' });
      return undefined;
    case 'rewind':
      return 'Choose “Restore to here” on one of your messages to go back to before it.';
    case 'tasks':
      if (channel.view.get().conversation.todos.length > 0) isListOpen.set(true);
      return tasksAsText(channel);
    case 'terminal':
      return choose('own-terminal')
        ? `Opening the agent in a terminal. Run /${name} there.`
        : `/${name} only works in the agent’s own interface. Start the agent in a terminal, in this folder.`;
    default:
      choose(surface);
      return undefined;
  }
}

function openPicker(card: Element | null, option = ''): void {
  card?.querySelector<HTMLElement>(`[data-menu="${CSS.escape(option)}"]`)?.showPopover();
}

/** Runs an action of the card's menu. */
function choose(action: string): boolean {
  const choices = offeredActions.get();
  const found = choices.find(({ id }) => id === action) ?? choices.find(({ id }) => id === 'markdown');
  if (action !== 'export' && found?.id !== action) return false;
  found?.onChoose();
  return true;
}

function tasksAsText(channel: ConversationChannel): string {
  const titles = openEntries(channel.view.get().conversation).flatMap((entry) =>
    entry.kind === 'tool' && entry.state === 'background' ? [entry.title] : [],
  );
  if (titles.length === 0) return 'No background tasks';
  return `Running in the background: ${visibleText(titles.join(' · '))}. Stop any of them from its row above.`;
}
