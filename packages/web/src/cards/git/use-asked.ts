import type { GitAsk } from '@tugdeck/protocol/git/git-messages';
import { useEffect, useState } from 'react';
import type { z } from 'zod';
import { faultText } from '../../app/deck-actions.ts';
import type { GitStore } from './git-store.ts';

export interface Asked<T> {
  readonly value: T | undefined;
  readonly fault: string | undefined;
}

/** What a question answers now; asked again whenever `when` is another one. The old answer stays meanwhile. */
export function useAsked<T>(store: GitStore, ask: GitAsk, schema: z.ZodType<T>, when: unknown): Asked<T> {
  const [asked, setAsked] = useState<Asked<T>>({ value: undefined, fault: undefined });
  const key = JSON.stringify(ask);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `when` says that the answer may be another one by now
  useEffect(() => {
    let isWanted = true;
    store.ask(JSON.parse(key) as GitAsk).then(
      (value) => isWanted && setAsked({ value: schema.parse(value), fault: undefined }),
      (error) => isWanted && setAsked((old) => ({ ...old, fault: faultText(error) })),
    );
    return () => {
      isWanted = false;
    };
  }, [store, key, schema, when]);
  return asked;
}
