import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import {
  ENTRY_KINDS,
  ENTRY_STATUSES,
  REQUEST_STATUSES,
  TOOL_KINDS,
  TOOL_STATES,
} from '../src/conversation/entries.ts';
import { TURN_STATES } from '../src/conversation/session-info.ts';

/** The names are frozen, because journals and other programs contain them. The page lists them like the schemas. */
const page = readFileSync(new URL('../../../docs/spec.md', import.meta.url), 'utf8');
const rule = (id: string) => page.split(`- **${id}** `)[1]?.split('\n- **')[0] ?? '';
const named = (id: string) =>
  [...rule(id).matchAll(/`([^`]+)`/g)].map(([, words = '']) => words.split(/\s+/));

test('M10 M12 the kinds of entries and of tools are those of the specification', () => {
  expect(named('M10')[0]).toEqual([...ENTRY_KINDS]);
  expect(named('M12')[0]).toEqual([...TOOL_KINDS]);
});

test('M11 the states of entries, tools, requests and turns are those of the specification', () => {
  expect(named('M11')).toEqual([
    [...ENTRY_STATUSES],
    [...TOOL_STATES],
    [...REQUEST_STATUSES],
    [...TURN_STATES],
  ]);
});
