/** The snippet of a text around a match, with the range of every matching word. Pure. */
import type { Snippet } from '@tugdeck/protocol/search/search';

const CONTEXT = 60;
const MAX_SNIPPET = 240;
/** Without private-use characters, which start the index's filter marks. */
const WORD = /[\p{L}\p{N}]+/gu;

export interface Query {
  /** Words as in the index: lower case, without accents. */
  readonly words: readonly string[];
  /** The last word may be a prefix. */
  readonly isPrefix: boolean;
}

export function readQuery(text: string): Query {
  // An accent may be a separate character; the index combines it with its letter.
  const words = [...normalize(text.normalize('NFC')).matchAll(WORD)].map(([word]) => word);
  return { words: words.slice(0, 12), isPrefix: /[\p{L}\p{N}]$/u.test(text) };
}

/** Keeps the length, so that offsets stay valid. */
export function normalize(text: string): string {
  const folded = text.replace(/[^\p{ASCII}]/gu, (letter) => {
    const small = letter.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
    return small.length === letter.length ? small : letter;
  });
  const small = folded.toLowerCase();
  return small.length === folded.length ? small : folded;
}

export interface Found {
  readonly snippet: Snippet;
  /** How well the text matches: all words, close together, the whole phrase. */
  readonly fit: number;
  /** Whether every word was found. */
  readonly hasAllWords: boolean;
}

export function findIn(text: string, { words, isPrefix }: Query): Found {
  const small = normalize(text);
  const places = words
    .flatMap((word, index) => placesOf(small, word, isPrefix && index === words.length - 1))
    .sort(([a], [b]) => a - b);
  const best = densest(places);
  const from = Math.max(0, cutAt(text, (places[best]?.[0] ?? 0) - CONTEXT));
  const piece = text.slice(from, from + MAX_SNIPPET);
  const found = places
    .filter(([start, end]) => start >= from && end <= from + piece.length)
    .slice(0, 50)
    .map(([start, end]): [number, number] => [start - from, end - from]);
  const kinds = new Set(places.map(([, , word]) => word)).size;
  const isPhrase = words.length > 1 && small.includes(words.join(' '));
  return {
    snippet: { text: tidy(piece), found },
    fit: kinds / Math.max(1, words.length) + (isPhrase ? 1 : 0),
    hasAllWords: words.every((word) => places.some(([, , found]) => found === word)),
  };
}

type Place = readonly [from: number, to: number, word: string];
/** Maximum matches of one word in a text. */
const MAX_PLACES = 100;
const LETTER = /[\p{L}\p{N}]/u;

/** Positions of a word, as a whole or as a prefix. */
function placesOf(text: string, word: string, isOpen: boolean): Place[] {
  const places: Place[] = [];
  for (let at = text.indexOf(word); at >= 0 && places.length < MAX_PLACES; at = text.indexOf(word, at + 1)) {
    const end = at + word.length;
    if (at > 0 && LETTER.test(text[at - 1] ?? '')) continue;
    if (!isOpen && LETTER.test(text[end] ?? '')) continue;
    places.push([at, end, word]);
  }
  return places;
}

/** The position with the most different words nearby. */
function densest(places: readonly Place[]): number {
  let best = 0;
  let most = 0;
  for (let index = 0; index < places.length; index++) {
    const near = new Set<string>();
    for (let at = index; at < places.length; at++) {
      if ((places[at]?.[1] ?? 0) - (places[index]?.[0] ?? 0) > MAX_SNIPPET - CONTEXT) break;
      near.add(places[at]?.[2] ?? '');
    }
    if (near.size > most) [best, most] = [index, near.size];
  }
  return best;
}

/** Start of a word, not inside a surrogate pair. */
function cutAt(text: string, from: number): number {
  if (from <= 0) return 0;
  const space = text.slice(from, from + 20).search(/\s/);
  const at = space >= 0 ? from + space + 1 : from;
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code < 0xe000 ? at + 1 : at;
}

/** One line, with unchanged offsets. */
function tidy(text: string): string {
  return text.replace(/[\s\p{Cc}]/gu, ' ');
}
