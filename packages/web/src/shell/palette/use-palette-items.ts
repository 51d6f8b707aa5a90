import type { SessionRow } from '@tugdeck/protocol/wire/deck';
import { doNotDisturb } from '../../features/attention/attention-settings.ts';
import { hasRunner, runAction, runnersVersion } from '../../kit/action-runners.ts';
import { useClient } from '../../kit/client-context.tsx';
import { actionKeys } from '../../kit/keys/key-names.ts';
import { KEY_TABLE } from '../../kit/keys/key-table.ts';
import { keymap } from '../../kit/keys/keymap.ts';
import { frontSession } from '../../kit/layout/front-session.ts';
import { newSession } from '../../kit/new-session.ts';
import { offeredActions, offeredPrompt } from '../../kit/offered-actions.ts';
import { prompts, wantedPrompt } from '../../kit/prompts.ts';
import { atHome, showSession } from '../../kit/route.ts';
import { openShellDialog } from '../../kit/shell-dialog.ts';
import { THEME_LABELS, THEMES, theme } from '../../kit/theme.ts';
import { tryRequest } from '../../kit/try-request.ts';
import { PHONE, useMedia } from '../../kit/use-media.ts';
import { useReadable } from '../../kit/use-readable.ts';
import { visibleText } from '../../kit/visible-text.ts';
import { deckItems, type PaletteItem } from './palette-items.ts';

/** Not listed: cards are found by their content, and the palette does not open itself. */
const UNLISTED = /^(?:card\.\d|palette\.open.*)$/;
/** On a phone there is one card at a time: nothing to arrange. */
const ARRANGE =
  /^(?:(?:focus|move|split|layout)\..*|card\.(?:maximise|collapse|float)|sidebar\.toggle|statusbar\.toggle)$/;

function isListed(id: string, isPhone: boolean): boolean {
  return !UNLISTED.test(id) && !(isPhone && ARRANGE.test(id));
}

/** All current items: actions of the front card and the page, sessions and projects. */
export function usePaletteItems(): readonly PaletteItem[] {
  const client = useClient();
  const deck = useReadable(client.deck);
  const isHome = useReadable(atHome);
  const offered = useReadable(offeredActions);
  const map = useReadable(keymap);
  const isQuiet = useReadable(doNotDisturb);
  useReadable(runnersVersion);
  const saved = useReadable(prompts);
  const session = useReadable(frontSession);
  const prompt = useReadable(offeredPrompt);
  const isPhone = useMedia(PHONE);
  const act = (id: string, label: string, run: () => void, keys?: string): PaletteItem => ({
    id,
    group: 'Action',
    label,
    keys,
    run,
  });
  const restore = async ({ id: session, trashedAt }: SessionRow) => {
    const isBack = await tryRequest(
      client,
      trashedAt === undefined
        ? { type: 'session.archive', session, archived: false }
        : { type: 'session.restore', session },
    );
    if (isBack) showSession(session);
  };
  // On Home no session is in sight.
  const hasSession = session !== undefined && !isHome;
  const isOffered = (id: string) =>
    hasRunner(id) && isListed(id, isPhone) && (hasSession || !id.startsWith('panel.'));
  return [
    ...(isHome ? [] : offered).map(
      ({ id, label, choices, onChoose }): PaletteItem => ({
        ...act(`card-${id}`, label, onChoose),
        group: 'This session',
        next: choices?.map((choice) => ({
          ...act(`card-${choice.id}`, choice.label, choice.onChoose),
          group: 'This session',
          detail: choice.checked ? 'Current' : choice.detail,
        })),
      }),
    ),
    ...(hasSession && prompt
      ? saved.map(
          (one): PaletteItem => ({
            ...act(`prompt-${one.name}`, `Insert prompt: ${visibleText(one.name)}`, () =>
              wantedPrompt.set({ session, prompt: one }),
            ),
            group: 'This session',
          }),
        )
      : []),
    act('prompts-edit', 'Saved prompts…', () => openShellDialog({ kind: 'prompts' })),
    ...(deck
      ? deckItems(deck, {
          showSession,
          newSession: (project) => void newSession(client, { project }),
          restore: (row) => void restore(row),
        })
      : []),
    ...KEY_TABLE.filter(({ id, scope }) => scope === 'page' && isOffered(id)).map(({ id, does }) =>
      act(id, does, () => runAction(id), isPhone ? undefined : actionKeys(id, map)),
    ),
    act('do-not-disturb', `Turn ${isQuiet ? 'off' : 'on'} do not disturb`, () => doNotDisturb.set(!isQuiet)),
    ...THEMES.map((name) =>
      act(`theme-${name}`, `Theme: ${THEME_LABELS[name].toLowerCase()}`, () => theme.set(name)),
    ),
  ];
}
