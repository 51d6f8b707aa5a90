import { foreignId } from '@tugdeck/local/foreign-id';
import type { ForeignSession } from '@tugdeck/local/reader-link';
import type { Project } from '@tugdeck/protocol/wire/deck';
import { expect, test } from 'vitest';
import { ExternalSessions } from '../src/reader/external-sessions.ts';

const project = (id: string, path: string) => ({ id, path, name: id, addedAt: 1, trust: 'yes' }) as Project;

function session(name: string, directory: string, activeAt = 1): ForeignSession {
  const id = foreignId('claude', name);
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
  return new ExternalSessions({ projects: () => projects, isOwn: ({ session: name }) => owned.has(name) });
}

test('A40 a session belongs to the innermost project that contains its directory', () => {
  const projects = [project('outer', '/work'), project('inner', '/work/inner')];
  const foreign = setUp(projects);
  foreign.update([session('a', '/work/inner/deep'), session('b', '/workshop'), session('c', '/work')], []);
  expect([...foreign.walk()].map(({ id }) => foreign.row(id)?.project)).toEqual(['inner', 'outer']);
  expect([...foreign.walk('inner')]).toHaveLength(1);
  projects.pop();
  foreign.projectsChanged();
  expect(foreign.row(foreignId('claude', 'a'))).toMatchObject({
    project: 'outer',
    origin: 'foreign',
    live: false,
  });
});

test('A40 an external session that we resumed is not listed twice', () => {
  const owned = new Set<string>();
  const foreign = setUp([project('p', '/p')], owned);
  foreign.update([session('a', '/p')], []);
  expect([...foreign.walk()]).toHaveLength(1);
  owned.add('a');
  expect([...foreign.walk()]).toEqual([]);
  expect(foreign.row(foreignId('claude', 'a'))).toBeUndefined();
  expect(foreign.find('a')).toMatchObject({ session: 'a' });
});

test('A40 sessions listed by a running agent are shown besides files; a file wins, and unlisted ones disappear', () => {
  const foreign = setUp([project('p', '/p')]);
  foreign.update([session('filed', '/p')], []);
  const both = ['filed', 'listed'].map((id) => ({ id, directory: '/p', title: id, updatedAt: 5 }));
  expect(foreign.updateListed('other', both)).toEqual([foreignId('other', 'listed')]);
  expect([...foreign.walk()]).toHaveLength(2);
  expect(foreign.hasFile(foreignId('other', 'listed'))).toBe(false);
  // Its file is found later: one row, from the file.
  foreign.update([session('listed', '/p')], []);
  expect(new Set([...foreign.walk()].map(({ id }) => id))).toEqual(
    new Set(['filed', 'listed'].map((name) => foreignId('claude', name))),
  );
  expect([...foreign.walk()]).toHaveLength(2);
  foreign.updateListed('other', [{ id: 'new', directory: '/p' }]);
  const gone = foreign.updateListed('other', [{ id: 'newer', directory: '/p' }]);
  expect(gone).toContain(foreignId('other', 'new'));
  expect(foreign.get(foreignId('other', 'new'))).toBeUndefined();
});
