/** Sends the search query as it is typed; only the newest reply is used. */
import type { Client } from '@tugdeck/client/client';
import type { FeedChannel } from '@tugdeck/client/feeds';
import { type SearchAnswer, type SearchInput, searchAnswerSchema } from '@tugdeck/protocol/search/search';
import { useEffect, useRef, useState } from 'react';
import { faultText } from '../deck-actions.ts';

export type SearchRequest = SearchInput & { readonly project?: string };

export interface SearchState {
  readonly answer: SearchAnswer | undefined;
  readonly fault: string | undefined;
  readonly isSearching: boolean;
}

/** Debounce between keystrokes. */
const PAUSE_MS = 60;
/** Repeat interval while the index is still being built. */
const REPEAT_MS = 2_000;

export function useSearch(client: Client, ask: SearchRequest): SearchState {
  const feed = useRef<FeedChannel>(undefined);
  const [state, setState] = useState<SearchState>({
    answer: undefined,
    fault: undefined,
    isSearching: false,
  });
  const [again, setAgain] = useState(0);
  const requestKey = JSON.stringify(ask);

  useEffect(() => {
    const opened = client.openFeed('search', {});
    feed.current = opened;
    return () => opened.close();
  }, [client]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: `requestKey` stands for what is requestKey, `again` for once more
  useEffect(() => {
    if (ask.query.trim() === '') {
      setState({ answer: undefined, fault: undefined, isSearching: false });
      return;
    }
    let isWanted = true;
    let timer = setTimeout(() => {
      setState((old) => ({ ...old, isSearching: true }));
      feed.current?.request(ask).then(
        (value) => {
          if (!isWanted) return;
          const answer = searchAnswerSchema.parse(value);
          setState({ answer, fault: undefined, isSearching: false });
          if (answer.unread > 0) timer = setTimeout(() => setAgain((count) => count + 1), REPEAT_MS);
        },
        (error: unknown) => {
          if (isWanted) setState({ answer: undefined, fault: faultText(error), isSearching: false });
        },
      );
    }, PAUSE_MS);
    return () => {
      isWanted = false;
      clearTimeout(timer);
    };
  }, [requestKey, again]);
  return state;
}
