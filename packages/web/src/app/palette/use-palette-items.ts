import type { SessionRow } from '@tugdeck/protocol/wire/deck';
import { useReadable } from '../../ui/use-readable.ts';
import { useClient } from '../client-context.tsx';
import { closeCard } from '../close-card.ts';
import { faultText } from '../deck-actions.ts';
import { keyNames } from '../keys.ts';
import { route, showSession } from '../route.ts';
import type { ShellDialog } from '../Shell.tsx';
import { THEME_LABELS, THEMES, theme } from '../theme.ts';
import { offeredActions } from './offered-actions.ts';
import { deckItems, type PaletteItem } from './palette-items.ts';

/** Everything that can be found now: what the card in front offers, what the page does, sessions and projects. */
export function usePaletteItems(onDialog: (dialog: ShellDialog) => void): readonly PaletteItem[] {
  const client = useClient();
  const deck = useReadable(client.deck);
  const offered = useReadable(offeredActions);
  const active = useReadable(route);
  const act = (id: string, label: string, run: () => void, keys?: string): PaletteItem => ({
    id,
    group: 'Action',
    label,
    keys,
    run,
  });
  const restore = ({ id: session, trashedAt }: SessionRow) => {
    client
      .request(
        trashedAt === undefined
          ? { type: 'session.archive', session, archived: false }
          : { type: 'session.restore', session },
      )
      .then(() => showSession(session))
      .catch((error) => console.warn(faultText(error)));
  };
  return [
    ...(deck
      ? deckItems(deck, {
          showSession,
          newSession: (project) => onDialog({ kind: 'session', project }),
          restore,
        })
      : []),
    act('new-session', 'New session', () => onDialog({ kind: 'session' })),
    act('quick-open', 'Open a file', () => onDialog({ kind: 'quick-open' }), keyNames('Mod+P').join(' ')),
    act('add-project', 'Add project', () => onDialog({ kind: 'project' })),
    ...offered.map(({ id, label, onChoose }) => act(`card-${id}`, `${label} (this session)`, onChoose)),
    ...(active === undefined ? [] : [act('close-card', 'Close this card', () => closeCard(active))]),
    ...THEMES.map((name) =>
      act(`theme-${name}`, `Theme: ${THEME_LABELS[name].toLowerCase()}`, () => theme.set(name)),
    ),
    act('keyboard', 'Show all keys', () => onDialog({ kind: 'keyboard' }), keyNames('?').join(' ')),
  ];
}
