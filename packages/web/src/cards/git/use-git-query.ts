import type { GitAsk } from '@tugdeck/protocol/git/git-messages';
import { useEffect, useState } from 'react';
import type { z } from 'zod';
import { faultText } from '../../app/deck-actions.ts';
import type { GitStore } from './git-store.ts';

export interface GitQuery<T> {
  readonly value: T | undefined;
  readonly fault: string | undefined;
}

/** What a question answers now; state again whenever `when` is another one. The old answer stays meanwhile. */
export function useGitQuery<T>(
  store: GitStore,
  request: GitAsk,
  schema: z.ZodType<T>,
  when: unknown,
): GitQuery<T> {
  const [state, setState] = useState<GitQuery<T>>({ value: undefined, fault: undefined });
  const key = JSON.stringify(request);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `when` says that the answer may be another one by now
  useEffect(() => {
    let isWanted = true;
    store.request(JSON.parse(key) as GitAsk).then(
      (value) => isWanted && setState({ value: schema.parse(value), fault: undefined }),
      (error) => isWanted && setState((old) => ({ ...old, fault: faultText(error) })),
    );
    return () => {
      isWanted = false;
    };
  }, [store, key, schema, when]);
  return state;
}
