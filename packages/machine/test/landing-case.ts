/** A repository, a workspace of it, and what a landing changes, for tests of landing. */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LandMethod, LandPreview, LandRequest } from '@tugdeck/protocol/workspaces/landing';
import { type GitWorld, repositoryAt, type TestRepository } from './git-fixture.ts';
import { type PlaceOptions, PROJECT, type WorkspacePlace, workspacePlace } from './workspace-fixture.ts';

export const gitIn = (directory: string, ...args: string[]) =>
  execFileSync('git', args, { cwd: directory, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();

let number = 0;

export interface Case {
  readonly repository: TestRepository;
  readonly place: WorkspacePlace;
  readonly id: string;
  /** The workspace's folder. */
  readonly path: string;
  write(name: string, content: string): void;
  commit(message: string, files: Readonly<Record<string, string>>): string;
  look(method?: LandMethod): Promise<LandPreview>;
  land(request?: Partial<LandRequest>): Promise<void>;
  main(): string;
}

export async function landingCase(
  world: GitWorld,
  options: PlaceOptions & { base?: string } = {},
): Promise<Case> {
  const root = world.path(`case-${++number}`);
  const repository = repositoryAt(join(root, 'shop'));
  repository.commit('one', { 'README.md': 'hello\n', 'src/a.ts': 'a\n', 'src/b.ts': 'b\n' });
  const place = workspacePlace(join(root, 'data'), repository.directory, options);
  const spec = { title: 'fix the login', ...(options.base === undefined ? {} : { base: options.base }) };
  const { id } = await place.workspaces.create(PROJECT, spec, 'w1');
  const { path } = await place.workspaces.ready(id);
  const write = (name: string, content: string) => writeFileSync(join(path, name), content);
  const look = (method?: LandMethod) => place.workspaces.landing.look(id, method ? { method } : {});
  return {
    repository,
    place,
    id,
    path,
    write,
    look,
    commit(message, files) {
      for (const [name, content] of Object.entries(files)) write(name, content);
      gitIn(path, 'add', '-A');
      gitIn(path, 'commit', '-q', '-m', message);
      return gitIn(path, 'rev-parse', 'HEAD');
    },
    async land(request = {}) {
      const { base = '', head = '' } = await look(request.method);
      const { end } = await place.workspaces.landing.begin(id, { base, head, ...request });
      await end;
    },
    main: () => repository.git('rev-parse', 'main').trim(),
  };
}

export function hook(repository: TestRepository, name: string, script: string): void {
  const file = join(repository.directory, '.git/hooks', name);
  mkdirSync(join(repository.directory, '.git/hooks'), { recursive: true });
  writeFileSync(file, `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o755);
}

export const read = (directory: string, name: string) => readFileSync(join(directory, name), 'utf8');

/** Base, checkout and the workspace's branch are as they were. */
export function snapshot({ repository, path }: Case) {
  return {
    main: repository.git('rev-parse', 'main'),
    status: repository.git('status', '--porcelain'),
    branch: gitIn(path, 'rev-parse', 'HEAD'),
    name: gitIn(path, 'rev-parse', '--abbrev-ref', 'HEAD'),
    own: gitIn(path, 'status', '--porcelain'),
  };
}
