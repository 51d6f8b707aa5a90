import type { Deck, SessionRow } from '@tugdeck/protocol/wire/deck';
import { expect, test } from 'vitest';
import { boardOf } from '../src/cards/home/board.ts';
import { shareBeside } from '../src/features/files/open-file.ts';
import { groupProjects } from '../src/kit/projects.ts';
import { allTags, hasTag, parseTags, readTags } from '../src/kit/tags.ts';

test('D47 tags are words in lower case, each once, at most five', () => {
  expect(parseTags(' #Urgent, release  release\u202e ##a b c d e')).toEqual([
    'urgent',
    'release',
    'release⟨U+202E⟩',
    'a',
    'b',
  ]);
  expect(readTags({ a: ['x', 7, 'Y'], b: 'no', c: [] })).toEqual({ a: ['x', 'y'] });
  expect(readTags('broken')).toEqual({});
  expect(allTags({ a: ['x', 'b'], c: ['b'] })).toEqual(['b', 'x']);
});

test('D47 a filter with # means a tag', () => {
  expect(hasTag(['urgent'], '#urg')).toBe(true);
  expect(hasTag(['urgent'], 'urg')).toBe(false);
  expect(hasTag(['urgent'], '#gent')).toBe(false);
  expect(hasTag(undefined, '#urg')).toBe(false);
});

test('D47 Home and sidebar are filtered by tag', () => {
  const row = (id: string): SessionRow =>
    ({
      id,
      project: 'p',
      agent: 'demo',
      title: id,
      activeAt: 1,
      createdAt: 1,
      live: false,
      origin: 'own',
    }) as never;
  const deck = {
    projects: [{ id: 'p', name: 'website', path: '/p' }],
    sessions: [row('one'), row('two')],
  } as unknown as Deck;
  const tags = { two: ['urgent'] };
  const ids = (text: string, tag?: string) => {
    const query = { grouping: 'state' as const, text, project: undefined, now: 2, reviewed: {}, tags, tag };
    const { columns, rest } = boardOf(deck, query);
    return [...columns, ...rest].flatMap(({ cards }) => cards.map((card) => card.row.id));
  };
  expect(ids('').toSorted()).toEqual(['one', 'two']);
  expect(ids('#urgent')).toEqual(['two']);
  expect(ids('', 'urgent')).toEqual(['two']);
  const listed = (filter: string) =>
    groupProjects(deck, filter, tags).flatMap(({ sessions }) => sessions.map(({ id }) => id));
  expect(listed('#urg')).toEqual(['two']);
  expect(listed('#other')).toEqual([]);
});

test.for([
  [800, undefined],
  [979, undefined],
  [980, 560 / 980],
  [1200, 0.5],
] as const)('D23 beside a conversation of %d px a file gets the share %s', ([width, share]) => {
  expect(shareBeside(width)).toBe(share);
});
