import type { ChangeBody } from '@tugdeck/protocol/conversation/changes';
import { fold } from '@tugdeck/protocol/conversation/fold';
import { type Conversation, EMPTY } from '@tugdeck/protocol/conversation/state';
import { expect, test } from 'vitest';
import { turnTokens } from '../src/cards/conversation/composer/turn-tokens.ts';
import { titleSource } from '../src/cards/conversation/header/generate-title.ts';
import { settingValue } from '../src/cards/conversation/info/setting-value.ts';
import { commandGroups } from '../src/cards/help/command-groups.ts';
import { serverState } from '../src/features/conversation/mcp-server-state.ts';

function after(...bodies: ChangeBody[]): Conversation {
  return bodies.reduce<Conversation>((state, body) => fold(state, { ...body, v: state.v + 1, at: 1 }), EMPTY);
}
const opened = (id: string, text: string): ChangeBody => ({
  kind: 'entry.opened',
  entry: { kind: 'text', id, status: 'complete', text },
});

test('C10 counts the tokens of the running turn, including tool input', () => {
  const begin: ChangeBody[] = [
    opened('before', 'x'.repeat(4000)),
    { kind: 'turn.started', turn: 't', origin: 'user', prompts: [] },
    opened('a', 'x'.repeat(40)),
    { kind: 'entry.opened', entry: { kind: 'thinking', id: 'b', status: 'complete', text: 'x'.repeat(20) } },
    {
      kind: 'entry.opened',
      entry: {
        kind: 'tool',
        id: 'c',
        status: 'partial',
        name: 'Bash',
        title: 'Bash',
        toolKind: 'shell',
        state: 'running',
        input: { c: 'x'.repeat(12) },
        output: 'x'.repeat(4000),
      },
    },
  ];
  expect(turnTokens(after(...begin))).toBe((40 + 20 + 20) / 4);
  expect(turnTokens(after(...begin, { kind: 'turn.ended', turn: 't', endedBy: 'completed' }))).toBe(0);
  expect(turnTokens(EMPTY)).toBe(0);
});

test('C14 uses the user messages for a title', () => {
  const prompts = ['one', 'y'.repeat(9000)].map(
    (text, at): ChangeBody => ({ kind: 'prompt.accepted', prompt: { id: `p${at}`, text } }),
  );
  const words = titleSource(after(...prompts, opened('a', 'an answer')));
  expect(words.slice(0, 5)).toBe('one\ny');
  expect(words).toHaveLength(4000);
  expect(titleSource(EMPTY)).toBe('');
});

test('W6 groups commands by provider, or not at all if it is unknown', () => {
  expect(commandGroups([{ name: 'a' }])).toEqual([{ label: 'Commands', commands: [{ name: 'a' }] }]);
  const groups = commandGroups([
    { name: 'p', category: 'plugin' },
    { name: 'l', category: 'local' },
    { name: 'x' },
  ]);
  expect(groups.map(({ label, commands }) => [label, ...commands.map(({ name }) => name)])).toEqual([
    ['Tugdeck commands', 'l'],
    ['Agent commands', 'x'],
    ['Plugin commands', 'p'],
  ]);
  expect(commandGroups()).toEqual([]);
});

test('C19 parses a setting as JSON if possible, and describes the state of a server', () => {
  expect(['7', ' true', '{"a":1}', 'Learning'].map(settingValue)).toEqual([7, true, { a: 1 }, 'Learning']);
  expect(serverState({ name: 'a', status: 'needs-auth' })).toBe('Sign-in needed');
  expect(serverState({ name: 'a', status: 'constructor' })).toBe('constructor');
});
