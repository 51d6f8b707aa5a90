/** Actions on one or more sessions of a list; each can be undone. */
import type { Client } from '@tugdeck/client/client';
import type { SessionRow } from '@tugdeck/protocol/wire/deck';
import { cell } from '../kit/cell.ts';
import { closeCard } from '../kit/close-card.ts';
import { plural } from '../kit/format.ts';
import { titleOf } from '../kit/projects.ts';
import { tryRequest } from '../kit/try-request.ts';
import { offerUndo } from '../kit/undo.ts';
import { visibleText } from '../kit/visible-text.ts';

/** The open confirmation, needed while a turn runs (S5). */
export const confirming = cell<
  { readonly text: string; readonly action: string; readonly go: () => void } | undefined
>(undefined);

export function archiveSessions(client: Client, rows: readonly SessionRow[]): void {
  act(
    client,
    rows,
    { done: 'archived', warning: 'Archived sessions keep running.', confirm: 'Archive anyway' },
    {
      does: (session) => ({ type: 'session.archive', session, archived: true }),
      undoes: (session) => ({ type: 'session.archive', session, archived: false }),
    },
  );
}

export function deleteSessions(client: Client, rows: readonly SessionRow[]): void {
  act(
    client,
    rows,
    { done: 'moved to trash', warning: 'Deleting a session stops it.', confirm: 'Delete anyway' },
    {
      does: (session) => ({ type: 'session.delete', session }),
      undoes: (session) => ({ type: 'session.restore', session }),
    },
  );
}

type Request = Parameters<Client['request']>[0];

interface Requests {
  readonly does: (session: string) => Request;
  readonly undoes: (session: string) => Request;
}

function act(
  client: Client,
  rows: readonly SessionRow[],
  { done, warning, confirm }: { readonly done: string; readonly warning: string; readonly confirm: string },
  requests: Requests,
): void {
  const running = rows.filter((row) => row.live && row.summary !== undefined && row.summary.turn !== 'idle');
  if (running.length > 0) {
    const working = `${running.length} of these sessions ${running.length === 1 ? 'is' : 'are'} still working`;
    confirming.set({
      text: `${rows.length === 1 ? 'This session is still working' : working}. ${warning}`,
      action: confirm,
      go: () => void perform(client, rows, done, requests),
    });
  } else void perform(client, rows, done, requests);
}

async function perform(
  client: Client,
  rows: readonly SessionRow[],
  done: string,
  { does, undoes }: Requests,
): Promise<void> {
  const results = rows.map(async (row) => ((await tryRequest(client, does(row.id))) ? [row] : []));
  for (const { id } of rows) closeCard(id);
  const gone = (await Promise.all(results)).flat();
  const [first] = gone;
  if (!first) return;
  const name = gone.length === 1 ? `“${visibleText(titleOf(first))}”` : plural(gone.length, 'session');
  offerUndo(`${name} ${done}`, () => {
    for (const { id } of gone) void tryRequest(client, undoes(id));
  });
}
