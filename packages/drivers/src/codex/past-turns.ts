/**
 * Reads the turns of a stored thread page by page, so that no line grows with the conversation, and finds the turn of
 * an entry. Stateless.
 */
import { type Fields, listOf, recordOf, textAt } from '../kit/fields.ts';
import type { Peer } from '../kit/peer.ts';

const PAGE = 20;
const MAX_PAGES = 500;

/** Oldest first. `each` receives every page and returns `false` to stop. */
export function eachPage(
  peer: Peer,
  threadId: string,
  each: (turns: readonly unknown[]) => boolean | undefined,
  done: (failure: string | undefined) => void,
): void {
  const requestPage = (page: number, cursor: string | undefined): void => {
    const params: Fields = {
      threadId,
      limit: PAGE,
      sortDirection: 'asc',
      itemsView: 'full',
      ...(cursor === undefined ? {} : { cursor }),
    };
    peer.request('thread/turns/list', params, ({ result, error }) => {
      if (error) {
        done(error.message);
        return;
      }
      const goesOn = each(listOf(recordOf(result).data)) !== false;
      const next = textAt(result, 'nextCursor');
      if (!goesOn || next === undefined || next === cursor || page >= MAX_PAGES) done(undefined);
      else requestPage(page + 1, next);
    });
  };
  requestPage(1, undefined);
}

export interface TurnPlace {
  readonly turn: string;
  /** Before the turn, because the entry is its first message; otherwise up to its end. */
  readonly isBefore: boolean;
  readonly isFirst: boolean;
}

/** The turn that contains an entry, by our names or those of the agent's file. */
export function findTurn(
  peer: Peer,
  threadId: string,
  entry: string,
  found: (place: TurnPlace | undefined) => void,
): void {
  let count = 0;
  let place: TurnPlace | undefined;
  eachPage(
    peer,
    threadId,
    (turns) => {
      for (const turn of turns) {
        const id = textAt(turn, 'id');
        const item = listOf(recordOf(turn).items).find((one) => isNamed(recordOf(one), id, entry));
        if (id !== undefined && (item !== undefined || entry.startsWith(`${id}/`)))
          place = { turn: id, isBefore: textAt(item, 'type') === 'userMessage', isFirst: count === 0 };
        count++;
        if (place) return false;
      }
      return undefined;
    },
    () => found(place),
  );
}

function isNamed(item: Fields, turn: string | undefined, entry: string): boolean {
  const id = textAt(item, 'id');
  const name = entry.replace(/~\d+$/, '');
  return id !== undefined && (name === id || name === `${turn}/${id}` || name === textAt(item, 'clientId'));
}
