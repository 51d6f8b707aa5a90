/** Sends the search query as it is typed; only the newest reply is used. */
import type { CallInput } from '@tugdeck/protocol/areas/area';
import { search } from '@tugdeck/protocol/areas/search';
import type { SearchAnswer } from '@tugdeck/protocol/search/search';
import { useEffect, useState } from 'react';
import { faultText } from '../../kit/deck-actions.ts';
import { useArea } from '../../kit/use-area.ts';

export type SearchRequest = CallInput<typeof search, 'search'>;

export interface SearchState {
  readonly answer: SearchAnswer | undefined;
  readonly fault: string | undefined;
  readonly isSearching: boolean;
}

/** Debounce between keystrokes. */
const PAUSE_MS = 60;
/** Repeat interval while the index is still being built. */
const REPEAT_MS = 2_000;

export function useSearch(request: SearchRequest): SearchState {
  const { channel } = useArea(search, {});
  const [state, setState] = useState<SearchState>({
    answer: undefined,
    fault: undefined,
    isSearching: false,
  });
  const [again, setAgain] = useState(0);
  const requestKey = JSON.stringify(request);

  // biome-ignore lint/correctness/useExhaustiveDependencies: `requestKey` stands for the request, `again` for a repeat
  useEffect(() => {
    if (request.query.trim() === '') {
      setState({ answer: undefined, fault: undefined, isSearching: false });
      return;
    }
    if (!channel) return;
    let isWanted = true;
    let timer = setTimeout(() => {
      setState((old) => ({ ...old, isSearching: true }));
      channel.call('search', request).then(
        (answer) => {
          if (!isWanted) return;
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
  }, [channel, requestKey, again]);
  return state;
}
