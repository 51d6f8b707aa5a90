/**
 * Highlighting in the page: starts the worker on first use and caches results, so that a row rendered again is
 * colored at once. Never throws: on failure the text stays plain.
 */
import type { HighlightAnswer, HighlightRequest } from './highlight-worker.ts';
import type { Runs } from './runs.ts';

/** Longer texts are not highlighted, to keep the worker free. */
const MAX_LENGTH = 200_000;
/** Cache size in characters of text. */
const CACHE_SIZE = 2_000_000;

interface Known {
  readonly runs: Runs | undefined;
  readonly size: number;
}

const known = new Map<string, Known>();
let keptSize = 0;
const waiting = new Map<number, (runs: Runs | undefined) => void>();
const pending = new Map<string, Promise<Runs | undefined>>();
let worker: Worker | undefined;
let isBroken = false;
let lastId = 0;

const keyOf = (text: string, language: string) => `${language}\n${text}`;

export function isHighlightable(text: string, language: string): boolean {
  return language !== '' && language !== 'text' && text !== '' && text.length <= MAX_LENGTH;
}

/** The cached result, if any. */
export function knownRuns(text: string, language: string): Runs | undefined {
  return known.get(keyOf(text, language))?.runs;
}

export function highlight(text: string, language: string): Promise<Runs | undefined> {
  if (isBroken || !isHighlightable(text, language)) return Promise.resolve(undefined);
  const key = keyOf(text, language);
  const before = known.get(key);
  if (before) return Promise.resolve(before.runs);
  const under = pending.get(key);
  if (under) return under;
  const answer = request(text, language).then((runs) => {
    pending.delete(key);
    remember(key, { runs, size: text.length });
    return runs;
  });
  pending.set(key, answer);
  return answer;
}

function request(text: string, language: string): Promise<Runs | undefined> {
  worker ??= start();
  const request: HighlightRequest = { id: ++lastId, text, language };
  return new Promise((done) => {
    waiting.set(request.id, done);
    worker?.postMessage(request);
  });
}

function start(): Worker {
  const made = new Worker(new URL('./highlight-worker.ts', import.meta.url), { type: 'module' });
  made.addEventListener('message', ({ data }: MessageEvent<HighlightAnswer>) => {
    waiting.get(data.id)?.(data.runs);
    waiting.delete(data.id);
  });
  made.addEventListener('error', () => {
    isBroken = true;
    for (const done of waiting.values()) done(undefined);
    waiting.clear();
  });
  return made;
}

function remember(key: string, value: Known): void {
  known.set(key, value);
  keptSize += value.size;
  for (const [oldest, { size }] of known) {
    if (keptSize <= CACHE_SIZE) return;
    known.delete(oldest);
    keptSize -= size;
  }
}
