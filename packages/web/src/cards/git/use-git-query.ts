import type { GitAsk } from '@tugdeck/protocol/git/git-messages';
import { useEffect, useState } from 'react';
import type { z } from 'zod';
import { faultText } from '../../app/deck-actions.ts';
import type { GitStore } from './git-store.ts';

export interface GitQuery<T> {
  readonly value: T | undefined;
  readonly fault: string | undefined;
}

/** Runs a git request and repeats it whenever `when` changes. The old value stays until the new one arrives. */
export function useGitQuery<T>(
  store: GitStore,
  request: GitAsk,
  schema: z.ZodType<T>,
  when: unknown,
): GitQuery<T> {
  const [state, setState] = useState<GitQuery<T>>({ value: undefined, fault: undefined });
  const key = JSON.stringify(request);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `when` signals that the reply may have changed
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
