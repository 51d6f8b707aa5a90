import { expect, test } from 'vitest';
import { killsCall } from './kills-options.ts';

const given = (values: Readonly<Record<string, string>>) => (name: string) => values[name];
const fixed = { seed: 1, kills: 9, minutes: 5 };

test('H12 kills are of the hosts of all real agents by default', () => {
  expect(killsCall(given({}), fixed)).toEqual({
    ...fixed,
    victim: 'host',
    agents: ['claude', 'codex', 'codex-acp'],
  });
});

test('H12 the agents themselves can be killed instead, and only some of them', () => {
  expect(killsCall(given({ victim: 'agent', agents: 'codex,claude' }), fixed)).toEqual({
    ...fixed,
    victim: 'agent',
    agents: ['codex', 'claude'],
  });
  expect(() => killsCall(given({ victim: 'server' }), fixed)).toThrow('--victim is host or agent');
  expect(() => killsCall(given({ agents: 'gemini' }), fixed)).toThrow('--agents is a list of claude, codex');
});
