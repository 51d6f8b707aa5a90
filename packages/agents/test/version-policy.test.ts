import { describe, expect, test } from 'vitest';
import { checkVersion } from '../src/version-policy.ts';

const agent = {
  label: 'Some agent',
  versions: { oldestWorking: '2.1.0', oldestTested: '2.1.30', recorded: '2.1.30' },
  install: 'get it',
};

describe('A13 versions', () => {
  test.each([
    ['2.0.99', { use: false, reason: expect.stringContaining('Update it with `get it`') }],
    ['1.99.99', { use: false, reason: expect.stringContaining('2.1.0 or newer') }],
    ['2.1.9', { use: true, warning: expect.stringContaining('2.1.30') }],
    ['2.1.30', { use: true }],
    ['2.1.30 (Some Agent)', { use: true }],
    ['3.0.0', { use: true }],
    ['unknown', { use: true }],
    [undefined, { use: true }],
  ])('A13 %s', (version, verdict) => expect(checkVersion(agent, version)).toEqual(verdict));
});
