/**
 * State of the completion list for commands and files: options, selection, and whether Esc closed it. The composer
 * owns the text.
 */
import type { SessionInfo } from '@tugdeck/protocol/conversation/session-info';
import { useEffect, useMemo, useState } from 'react';
import { type Token, tokenAt } from '../../../../features/prompt/token.ts';
import { prompts } from '../../../../kit/prompts.ts';
import { useReadable } from '../../../../kit/use-readable.ts';
import {
  commandOffers,
  fileOffers,
  findFiles,
  type Offer,
  type ProjectFile,
  promptOffers,
} from './offers.ts';

export interface Completion {
  readonly token: Token;
  readonly offers: readonly Offer[];
  readonly chosen: number;
  choose(at: number): void;
  close(): void;
}

export interface CompletionInput {
  readonly text: string;
  /** Undefined while the box has no focus or text is selected. */
  readonly caret: number | undefined;
  readonly commands: SessionInfo['commands'];
  readonly project: string | undefined;
}

const NOTHING: { readonly query: string; readonly files: readonly ProjectFile[] } = { query: '', files: [] };

export function useCompletion({ text, caret, commands, project }: CompletionInput): Completion | undefined {
  const [chosen, setChosen] = useState({ key: '', at: 0 });
  /** The token for which Esc closed the list. It stays closed for that token. */
  const [closed, setClosed] = useState<string>();
  const token = caret === undefined ? undefined : tokenAt(text, caret);
  const kind = token?.kind;
  const query = token?.query ?? '';
  const found = useFiles(project, kind === 'file' ? query : undefined);
  const saved = useReadable(prompts);
  const offers = useMemo(() => {
    if (kind === 'command') return [...commandOffers(commands, query), ...promptOffers(saved, query)];
    return kind === 'file' ? fileOffers(found.files, found.query) : [];
  }, [kind, query, commands, found, saved]);

  const place = token && `${token.kind}-${token.start}`;
  useEffect(() => {
    if (place === undefined) setClosed(undefined);
  }, [place]);
  if (!token || place === closed || offers.length === 0) return undefined;
  const key = `${place}-${token.query}`;
  return {
    token,
    offers,
    chosen: chosen.key === key ? Math.min(chosen.at, offers.length - 1) : 0,
    choose: (at) => setChosen({ key, at: (at + offers.length) % offers.length }),
    close: () => setClosed(place),
  };
}

/** Keeps the last result until the next arrives, so that the list does not flicker. */
function useFiles(project: string | undefined, query: string | undefined): typeof NOTHING {
  const [found, setFound] = useState(NOTHING);
  useEffect(() => {
    if (project === undefined || query === undefined) {
      setFound(NOTHING);
      return;
    }
    const stop = new AbortController();
    findFiles(project, query, stop.signal).then(
      (files) => setFound({ query, files }),
      (error: unknown) => {
        if (!stop.signal.aborted) console.warn('no files to complete', error);
      },
    );
    return () => stop.abort();
  }, [project, query]);
  return found;
}
