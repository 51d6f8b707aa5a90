import type { SessionRow } from '@tugdeck/protocol/wire/deck';
import { expect, test } from 'vitest';
import { fieldFault, formContent, formFields, initialValues } from '../src/features/requests/form-fields.ts';
import { webAddress } from '../src/features/requests/web-address.ts';
import { agentSummary } from '../src/kit/agent-summary.ts';

const schema = {
  type: 'object',
  properties: {
    name: { type: 'string', title: 'Name', minLength: 2, description: 'As it is written' },
    mail: { type: 'string', format: 'email' },
    count: { type: 'integer', minimum: 1, maximum: 9, default: 3 },
    share: { type: 'number' },
    loud: { type: 'boolean', default: true },
    colour: { type: 'string', enum: ['r', 'g'], enumNames: ['Red', 'Green'] },
    parts: { type: 'array', items: { anyOf: [{ const: 'hull', title: 'Hull' }, { const: 'mast' }] } },
    way: { type: 'string', oneOf: [{ const: 'web', title: 'By browser', description: 'Opens a page' }] },
  },
  required: ['name', 'way'],
};

test('A22 a flat schema becomes a form with initial values', () => {
  const fields = formFields(schema) ?? [];
  expect(fields.map(({ key, kind, label }) => [key, kind, label])).toEqual([
    ['name', 'text', 'Name'],
    ['mail', 'text', 'mail'],
    ['count', 'number', 'count'],
    ['share', 'number', 'share'],
    ['loud', 'boolean', 'loud'],
    ['colour', 'choice', 'colour'],
    ['parts', 'choice', 'parts'],
    ['way', 'choice', 'way'],
  ]);
  expect(fields[5]).toMatchObject({ options: [{ value: 'r', label: 'Red' }, { label: 'Green' }] });
  // A single choice is preselected.
  expect(initialValues(schema, fields)).toMatchObject({ name: '', count: '3', loud: true, way: ['web'] });
});

test('A22 validates values and sends them in the types of the schema', () => {
  const fields = formFields(schema) ?? [];
  const fault = (key: string, value: string): string | undefined => {
    const field = fields.find((one) => one.key === key);
    return field && fieldFault(field, value);
  };
  expect(fault('name', '')).toBe('Required');
  expect(fault('name', 'x')).toBe('Enter at least 2 characters');
  expect(fault('mail', 'nobody')).toBe('Enter a valid email address');
  expect(fault('mail', '')).toBeUndefined();
  expect([fault('count', '1.5'), fault('count', '12'), fault('count', 'x'), fault('count', '2')]).toEqual([
    'Enter a whole number',
    'Must be at most 9',
    'Enter a number',
    undefined,
  ]);
  const values = { name: 'Ada', mail: '', count: '4', loud: false, colour: ['g'], parts: [], way: ['web'] };
  expect(formContent(fields, values)).toEqual({
    name: 'Ada',
    count: 4,
    loud: false,
    colour: 'g',
    parts: [],
    way: 'web',
  });
});

test.each([
  undefined,
  {},
  { properties: {} },
  { properties: { nested: { type: 'object', properties: {} } } },
  { properties: { list: { type: 'array', items: { type: 'string' } } } },
  { properties: { odd: { type: 'constructor' } } },
  { properties: Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`f${n}`, { type: 'string' }])) },
])('A22 a schema that isn’t a flat form is answered as JSON: %j', (other) => {
  expect(formFields(other)).toBeUndefined();
});

test('X1 only a web URL becomes a link', () => {
  expect(webAddress({ url: 'https://example.com/a?b' })).toBe('https://example.com/a?b');
  for (const url of ['javascript:alert(1)', 'file:///etc/passwd', 'https://you@example.com', 'nonsense', 7]) {
    expect(webAddress({ url })).toBeUndefined();
  }
  expect(webAddress(null)).toBeUndefined();
});

test('A24 summarizes an agent over its sessions, with its last failure', () => {
  const row = (agent: string, agentState: string, changedAt: number, agentReason?: string): SessionRow =>
    ({
      agent,
      live: true,
      summary: { agentState, changedAt, ...(agentReason ? { agentReason } : {}) },
    }) as SessionRow;
  const rows = [
    row('a', 'connected', 1),
    row('a', 'connected', 2),
    row('a', 'failed', 3, 'older'),
    row('a', 'failed', 4, 'newer'),
    row('b', 'starting', 5),
  ];
  expect(agentSummary('a', rows)).toEqual({ text: 'running in 2 sessions', failure: 'newer' });
  expect(agentSummary('b', rows)).toEqual({ text: 'starting in 1 session' });
  expect(agentSummary('c', rows)).toEqual({ text: '' });
});
