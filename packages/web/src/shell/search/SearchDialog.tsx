/** Search over all conversations (S5): as you type, with filters and highlighted matches; opens at the entry. */
import type { Hit } from '@tugdeck/protocol/search/search';
import { useState } from 'react';
import { useClient } from '../../kit/client-context.tsx';
import { faultText } from '../../kit/deck-actions.ts';
import { plural } from '../../kit/format.ts';
import { useReadable } from '../../kit/use-readable.ts';
import { Button } from '../../ui/Button.tsx';
import { ListDialog } from '../../ui/ListDialog.tsx';
import { useTyped } from '../typed-ahead.ts';
import { HitLines } from './HitLines.tsx';
import { SearchFilters } from './SearchFilters.tsx';
import { NO_FILTERS, searchRequest } from './search-filters.ts';
import './search.css';
import type { Client } from '@tugdeck/client/client';
import { ClientError } from '@tugdeck/client/client-error';
import { expectTemporary } from '../../kit/layout/temporary.ts';
import { hashOfEntry, hashOfSession } from '../../kit/route.ts';
import { type SearchState, useSearch } from './use-search.ts';

interface SearchDialogProps {
  /** The initial query. */
  query?: string | undefined;
  onClose: () => void;
}

export function SearchDialog({ query: initialQuery, onClose }: SearchDialogProps) {
  const client = useClient();
  const deck = useReadable(client.deck);
  const [query, setQuery] = useTyped(initialQuery);
  const [filters, setFilters] = useState(NO_FILTERS);
  const [fault, setFault] = useState<string>();
  const [now] = useState(Date.now);
  const state = useSearch(searchRequest(query, filters, now));
  const open = (hit: Hit) => {
    openHit(client, hit).then(onClose, (error: unknown) => setFault(faultText(error)));
  };
  const isNarrowed = Object.values(filters).some((value) => value !== '');
  return (
    <ListDialog
      name="Search"
      label="Search all conversations"
      look="blocks"
      query={query}
      onQuery={setQuery}
      found={state.answer?.hits ?? []}
      keyOf={({ session, entry, kind }) => `${session} ${entry ?? ''} ${kind}`}
      draw={(hit) => <HitLines hit={hit} deck={deck} />}
      onChoose={open}
      onClose={onClose}
      filters={<SearchFilters filters={filters} deck={deck} onChange={setFilters} />}
      note={
        <p className="list-note" role="status" data-fault={(fault ?? state.fault) !== undefined}>
          {fault ?? noteOf(query, state)}{' '}
          {isNarrowed && state.answer?.hits.length === 0 ? (
            <Button look="link" onClick={() => setFilters(NO_FILTERS)}>
              Clear filters
            </Button>
          ) : null}
        </p>
      }
    />
  );
}

function noteOf(query: string, { answer, fault, isSearching }: SearchState): string {
  if (fault !== undefined) return fault;
  if (query.trim() === '') return 'Searches titles, messages, tool calls and results';
  if (!answer) return isSearching ? 'Searching…' : '';
  const found = answer.hits.length === 0 ? 'No results' : countOf(answer.hits.length, answer.more);
  return answer.unread > 0 ? `${found} · ${plural(answer.unread, 'file')} not indexed yet` : found;
}

function countOf(count: number, more: boolean): string {
  if (more) return `Top ${count} results`;
  return count === 1 ? '1 result' : `${count} results`;
}

/** Opens a session at a search hit. If its directory is not a project yet, it becomes one. */
async function openHit(client: Client, { session, entry, directory }: Hit): Promise<void> {
  const isListed = client.deck.get()?.sessions.some(({ id }) => id === session);
  if (!isListed) await addProject(client, directory);
  expectTemporary(session);
  location.hash = entry === undefined ? hashOfSession(session) : hashOfEntry(session, entry);
}

async function addProject(client: Client, path: string): Promise<void> {
  try {
    await client.request({ type: 'project.add', path });
  } catch (error) {
    if (!(error instanceof ClientError && error.code === 'PROJECT_DUPLICATE')) throw error;
  }
}
