/** Search over all agents' conversations (S5): as you type, filtered, what was found marked, opening at the entry. */
import type { Hit } from '@tugdeck/protocol/search/search';
import { type KeyboardEvent, useCallback, useEffect, useId, useRef, useState } from 'react';
import { useReadable } from '../../ui/use-readable.ts';
import { useClient } from '../client-context.tsx';
import { faultText } from '../deck-actions.ts';
import { HitRow } from './HitRow.tsx';
import { openHit } from './open-hit.ts';
import { SearchFilters } from './SearchFilters.tsx';
import { askOf, NO_FILTERS } from './search-filters.ts';
import './search.css';
import { type SearchState, useSearch } from './use-search.ts';

export function SearchDialog({ onClose }: { onClose: () => void }) {
  const client = useClient();
  const deck = useReadable(client.deck);
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const [query, setQuery] = useState('');
  const [filters, setFilters] = useState(NO_FILTERS);
  const [chosen, setChosen] = useState(0);
  const [fault, setFault] = useState<string>();
  const [now] = useState(Date.now);
  const state = useSearch(client, askOf(query, filters, now));
  const hits = state.answer?.hits ?? [];
  const show = useCallback((dialog: HTMLDialogElement | null) => {
    if (!dialog) return;
    dialog.showModal();
    return () => dialog.close();
  }, []);
  useEffect(() => {
    const option = list.current?.querySelector(`[id="${CSS.escape(`${id}-${chosen}`)}"]`);
    option?.scrollIntoView({ block: 'nearest' });
  }, [id, chosen]);

  const open = (hit: Hit | undefined) => {
    if (!hit) return;
    openHit(client, hit).then(onClose, (error: unknown) => setFault(faultText(error)));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: chosen + 1, ArrowUp: chosen - 1 }[event.key];
    const isTyping = event.target instanceof HTMLInputElement;
    if (step !== undefined && isTyping) {
      event.preventDefault();
      setChosen((step + hits.length) % Math.max(1, hits.length));
    } else if (event.key === 'Enter' && isTyping && !event.nativeEvent.isComposing) {
      event.preventDefault();
      open(hits[chosen]);
    }
    event.stopPropagation();
  };

  return (
    <dialog
      ref={show}
      className="search"
      aria-label="Search"
      onClose={onClose}
      onKeyDown={onKeyDown}
      onClick={(event) => {
        if (event.target === event.currentTarget) onClose();
      }}
    >
      <div className="search-body">
        <input
          className="search-query"
          type="search"
          role="combobox"
          aria-label="Search all conversations"
          aria-expanded="true"
          aria-controls={id}
          aria-activedescendant={hits.length > 0 ? `${id}-${chosen}` : undefined}
          aria-autocomplete="list"
          placeholder="Search all conversations"
          autoComplete="off"
          spellCheck={false}
          value={query}
          onChange={(event) => {
            setQuery(event.target.value);
            setChosen(0);
          }}
        />
        <SearchFilters
          filters={filters}
          deck={deck}
          onChange={(next) => {
            setFilters(next);
            setChosen(0);
          }}
        />
        <div ref={list} id={id} role="listbox" aria-label="Found" className="search-list">
          {hits.map((hit, at) => (
            <HitRow
              key={`${hit.session} ${hit.entry ?? ''} ${hit.kind}`}
              id={`${id}-${at}`}
              hit={hit}
              deck={deck}
              isChosen={at === chosen}
              onPoint={() => at === chosen || setChosen(at)}
              onOpen={() => open(hit)}
            />
          ))}
        </div>
        <p className="search-note" role="status">
          {fault ?? noteOf(query, state)}
        </p>
      </div>
    </dialog>
  );
}

function noteOf(query: string, { answer, fault, isAsking }: SearchState): string {
  if (fault !== undefined) return fault;
  if (query.trim() === '') return 'Titles, prompts, answers, what tools were given and what they gave.';
  if (!answer) return isAsking ? 'Searching…' : '';
  const found = answer.hits.length === 0 ? 'Nothing found.' : countOf(answer.hits.length, answer.more);
  const unread = answer.unread.toLocaleString('en');
  return answer.unread > 0 ? `${found} ${unread} files are still being read.` : found;
}

function countOf(count: number, more: boolean): string {
  if (more) return `The best ${count}; there are more.`;
  return count === 1 ? 'One found.' : `${count} found.`;
}
