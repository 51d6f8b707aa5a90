/** Tags of sessions (D47): words that the user gives, for filters. Shared by all browsers. */
import { persisted } from './persisted.ts';
import { visibleText } from './visible-text.ts';

export type Tags = Readonly<Record<string, readonly string[]>>;

/** The server keeps at most 16 KB: the sessions tagged longest ago lose theirs. */
const MAX_SESSIONS = 120;
const MAX_TAGS = 5;
const MAX_LENGTH = 16;

export const tags = persisted<Tags>('tags', readTags, { isShared: true });

/** Words without a leading `#`, lower case, each once. */
export function parseTags(text: string): string[] {
  const words = text
    .toLowerCase()
    .split(/[\s,]+/)
    .map((word) => visibleText(word.replace(/^#+/, '')).slice(0, MAX_LENGTH))
    .filter((word) => word !== '');
  return [...new Set(words)].slice(0, MAX_TAGS);
}

export function setTags(session: string, next: readonly string[]): void {
  const { [session]: _, ...others } = tags.get();
  const own = next.length === 0 ? [] : [[session, next] as const];
  tags.set(Object.fromEntries([...Object.entries(others), ...own].slice(-MAX_SESSIONS)));
}

/** All tags in use, in order of the alphabet. */
export function allTags(all: Tags): string[] {
  return [...new Set(Object.values(all).flat())].sort();
}

/** `#word` in a filter means a tag that begins with it. */
export function hasTag(own: readonly string[] | undefined, filter: string): boolean {
  const wanted = filter.trim().toLowerCase();
  if (own === undefined || !wanted.startsWith('#')) return false;
  return own.some((tag) => `#${tag}`.startsWith(wanted));
}

export function readTags(raw: unknown): Tags {
  if (typeof raw !== 'object' || raw === null) return {};
  return Object.fromEntries(
    Object.entries(raw)
      .slice(-MAX_SESSIONS)
      .flatMap(([session, list]) => {
        const own = Array.isArray(list)
          ? parseTags(list.filter((tag) => typeof tag === 'string').join(' '))
          : [];
        return own.length === 0 ? [] : [[session, own] as const];
      }),
  );
}
