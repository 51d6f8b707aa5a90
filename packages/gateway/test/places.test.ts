/** The choice of a machine for a new session, with machines that lie, hang and fail. */
import type { Placement } from '@tugdeck/machine/port';
import { sameRemote } from '@tugdeck/machine/projects/placement';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import { expect, test } from 'vitest';
import { type PlacedMachine, placesOf } from '../src/machines/places.ts';

const machine = (
  name: string | undefined,
  freeMemory: number,
  projects: Record<string, string | undefined>,
  owned = Object.keys(projects),
): PlacedMachine => ({
  ...(name === undefined ? {} : { name }),
  owns: (id) => owned.includes(id),
  port: {
    placement: async (): Promise<Placement> => ({
      freeMemory,
      projects: Object.entries(projects).map(([id, remote]) => ({ id, remote })),
    }),
  },
});

test('N17 the machine with the project and the most free memory is first', async () => {
  const places = await placesOf('a', [
    machine(undefined, 2, { a: 'host/shop', other: 'host/other' }),
    machine('box', 8, { b: 'host/shop' }),
    machine('small', 1, { c: 'host/shop', d: undefined }),
    machine('empty', 99, { e: 'host/other' }),
  ]);
  expect(places).toEqual([
    { project: 'b', freeMemory: 8, machine: 'box' },
    { project: 'a', freeMemory: 2 },
    { project: 'c', freeMemory: 1, machine: 'small' },
  ]);
});

test('N17 a project without a remote is only on its own machine', async () => {
  const machines = [machine(undefined, 2, { a: undefined }), machine('box', 8, { b: undefined })];
  expect(await placesOf('a', machines)).toEqual([{ project: 'a', freeMemory: 2 }]);
});

test('N21 a machine can name neither projects of others nor the remote of such a project', async () => {
  const places = await placesOf('a', [
    machine(undefined, 2, { a: 'host/shop' }),
    machine('evil', 99, { a: 'host/evil', b: 'host/evil', c: 'host/shop' }, ['b']),
  ]);
  expect(places).toEqual([{ project: 'a', freeMemory: 2 }]);
});

test('N15 machines that hang, fail or are offline are left out', async () => {
  const hanging = {
    name: 'hangs',
    owns: () => true,
    port: { placement: () => new Promise<never>(() => undefined) },
  };
  const failing = {
    name: 'fails',
    owns: () => true,
    port: { placement: () => Promise.reject(new CodedError('HOST_UNAVAILABLE')) },
  };
  const offline = { name: 'offline', owns: () => true, port: undefined };
  const places = await placesOf('a', [machine(undefined, 2, { a: 'host/shop' }), hanging, failing, offline]);
  expect(places).toEqual([{ project: 'a', freeMemory: 2 }]);
});

test.each([
  ['https://github.com/team/shop.git', 'github.com/team/shop'],
  ['https://user:secret@GitHub.com/team/shop/', 'github.com/team/shop'],
  ['git@github.com:team/shop.git', 'github.com/team/shop'],
  ['ssh://git@github.com:22/team/shop.git', 'github.com/team/shop'],
  ['/srv/git/shop.git', undefined],
  ['file:///srv/git/shop.git', undefined],
  ['../shop', undefined],
  ['', undefined],
])('N17 %j is the same repository as %j', (url, remote) => {
  expect(sameRemote(url)).toBe(remote);
});
