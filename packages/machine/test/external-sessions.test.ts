import { externalId } from '@tugdeck/local/external-id';
import type { ExternalSession } from '@tugdeck/local/reader-link';
import type { Project } from '@tugdeck/protocol/wire/deck';
import { expect, test } from 'vitest';
import { ExternalSessions } from '../src/reader/external-sessions.ts';

const project = (id: string, path: string) => ({ id, path, name: id, addedAt: 1, trust: 'yes' }) as Project;

function session(name: string, directory: string, activeAt = 1): ExternalSession {
  const id = externalId('claude', name);
  return {
    id,
    agent: 'claude',
    session: name,
    directory,
    title: name,
    createdAt: 1,
    activeAt,
    elsewhere: false,
  };
}

function setUp(projects: Project[], owned = new Set<string>()) {
  const folders = () => projects.map(({ id, path }) => ({ project: id, path }));
  return new ExternalSessions({ projects: folders, isOwn: ({ session: name }) => owned.has(name) });
}

test('A40 a session belongs to the innermost project that contains its directory', () => {
  const projects = [project('outer', '/work'), project('inner', '/work/inner')];
  const external = setUp(projects);
  external.update([session('a', '/work/inner/deep'), session('b', '/workshop'), session('c', '/work')], []);
  expect([...external.walk()].map(({ id }) => external.row(id)?.project)).toEqual(['inner', 'outer']);
  expect([...external.walk('inner')]).toHaveLength(1);
  projects.pop();
  external.projectsChanged();
  expect(external.row(externalId('claude', 'a'))).toMatchObject({
    project: 'outer',
    origin: 'foreign',
    live: false,
  });
});

test('A40 an external session that we resumed is not listed twice', () => {
  const owned = new Set<string>();
  const external = setUp([project('p', '/p')], owned);
  external.update([session('a', '/p')], []);
  expect([...external.walk()]).toHaveLength(1);
  owned.add('a');
  expect([...external.walk()]).toEqual([]);
  expect(external.row(externalId('claude', 'a'))).toBeUndefined();
  expect(external.find('a')).toMatchObject({ session: 'a' });
});

test('A40 sessions listed by a running agent are shown besides files; a file wins, and unlisted ones disappear', () => {
  const external = setUp([project('p', '/p')]);
  external.update([session('filed', '/p')], []);
  const both = ['filed', 'listed'].map((id) => ({ id, directory: '/p', title: id, updatedAt: 5 }));
  expect(external.updateListed('other', both)).toEqual([externalId('other', 'listed')]);
  expect([...external.walk()]).toHaveLength(2);
  expect(external.hasFile(externalId('other', 'listed'))).toBe(false);
  // Its file is found later: one row, from the file.
  external.update([session('listed', '/p')], []);
  expect(new Set([...external.walk()].map(({ id }) => id))).toEqual(
    new Set(['filed', 'listed'].map((name) => externalId('claude', name))),
  );
  expect([...external.walk()]).toHaveLength(2);
  external.updateListed('other', [{ id: 'new', directory: '/p' }]);
  const gone = external.updateListed('other', [{ id: 'newer', directory: '/p' }]);
  expect(gone).toContain(externalId('other', 'new'));
  expect(external.get(externalId('other', 'new'))).toBeUndefined();
});
