/** Diffs and data with blobs: the loaded part at once, the rest on request. */
import type { FileDiff } from '@tugdeck/protocol/conversation/entries';
import { useEffect, useMemo, useState } from 'react';
import { faultText } from '../../kit/deck-actions.ts';
import { blobsIn, withBlobs } from '../conversation/blob-refs.ts';
import { loadBlob } from '../conversation/blob-text.ts';
import { useCard } from '../conversation/card-context.tsx';

export interface WholeData<T> {
  readonly value: T;
  /** Set while the data is incomplete. */
  readonly load?: () => void;
  readonly fault?: string | undefined;
}

export function useWholeData<T>(value: T, isWanted = false): WholeData<T> {
  const { session } = useCard();
  const missing = useMemo(() => [...blobsIn(value)], [value]);
  const [whole, setWhole] = useState<{ of: T; value: T }>();
  const [fault, setFault] = useState<string>();
  const [tries, setTries] = useState(isWanted ? 1 : 0);
  useEffect(() => {
    if (tries === 0 || missing.length === 0) return;
    let isOver = false;
    Promise.all(missing.map(async (hash) => [hash, await loadBlob(session, hash)] as const)).then(
      (texts) => {
        if (!isOver) setWhole({ of: value, value: withBlobs(value, new Map(texts)) as T });
      },
      (error: unknown) => {
        if (!isOver) setFault(faultText(error));
      },
    );
    return () => {
      isOver = true;
    };
  }, [tries, missing, session, value]);
  if (missing.length === 0) return { value };
  if (whole?.of === value) return { value: whole.value };
  const load = () => {
    setFault(undefined);
    setTries(tries + 1);
  };
  return { value, load, fault };
}

export function useWholeDiff(file: FileDiff): WholeData<FileDiff> & { size?: number } {
  const state = useWholeData(file);
  return state.load && file.more ? { ...state, size: file.more.size } : state;
}
