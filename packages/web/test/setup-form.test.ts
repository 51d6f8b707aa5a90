import type { SetupContent } from '@tugdeck/protocol/areas/agent-setup';
import { expect, test } from 'vitest';
import { contentOf } from '../src/cards/settings/setup/form-content.ts';

const values = (fields: Record<string, string>) => new Map(Object.entries(fields));

test('A61 a form keeps what its fields can’t show where they were not changed', () => {
  const server: SetupContent = {
    type: 'server',
    command: 'run ',
    args: ['', 'two\nlines', ' '],
    variables: { __proto__: 'x' },
  };
  const fields = { name: 'a', way: 'program', command: 'run ', args: '\r\ntwo\r\nlines\r\n ' };
  expect(contentOf('server', values(fields), server)).toMatchObject({ command: 'run ', args: server.args });
  expect(contentOf('server', values({ ...fields, args: 'one\r\n' }), server)).toMatchObject({
    args: ['one'],
  });

  const hook: SetupContent = { type: 'hook', event: 'Stop', matcher: 'a\nb', command: 'if x\nthen y\nfi\n' };
  const shown = { event: 'Stop', matcher: 'ab', command: 'if x\r\nthen y\r\nfi\r\n' };
  expect(contentOf('hook', values(shown), hook)).toEqual(hook);
  expect(contentOf('hook', values({ ...shown, matcher: 'c' }), hook)).toEqual({ ...hook, matcher: 'c' });
  expect(contentOf('hook', values({ ...shown, command: ' new\r\n' }), hook)).toMatchObject({
    command: 'new',
  });

  const rule: SetupContent = { type: 'rule', decision: 'deny', text: ' x\n' };
  expect(contentOf('rule', values({ decision: 'allow', rule: ' x' }), rule)).toEqual({
    ...rule,
    decision: 'allow',
  });
});

test('A61 a variable may have any name', () => {
  const fields = { name: 'a', way: 'program', command: 'c', variables: '__proto__=x\r\nA=b=c' };
  expect(contentOf('server', values(fields))).toMatchObject({ variables: { A: 'b=c' } });
  const content = contentOf('server', values(fields)) as { variables: object };
  expect(Object.entries(content.variables)).toEqual([
    ['__proto__', 'x'],
    ['A', 'b=c'],
  ]);
});
