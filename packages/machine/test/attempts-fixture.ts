/** Attempts on real git and a real database, with a host that notes the prompts it was given, for tests. */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { dataDirectory } from '@tugdeck/local/data-directory';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import { Attempts, type AttemptsOptions } from '../src/attempts/attempts.ts';
import { silent } from './git-fixture.ts';
import { type PlaceOptions, PROJECT, type WorkspacePlace, workspacePlace } from './workspace-fixture.ts';

export interface AttemptsPlace extends WorkspacePlace {
  readonly attempts: Attempts;
}

/** `passed` is called at each named moment: the test may kill the process there. */
export function attemptsPlace(
  root: string,
  project: string,
  options: PlaceOptions & {
    readonly passed?: (moment: string) => void;
    /** The session that can't be created. */
    readonly refused?: string | undefined;
    readonly overrides?: Partial<AttemptsOptions>;
  } = {},
): AttemptsPlace {
  const place = workspacePlace(root, project, options);
  const { store, workspaces } = place;
  const { passed = () => undefined, overrides, refused } = options;
  const held = join(root, 'prompts');
  const rowOf = (id: string) => {
    const row = store.sessions.get(id);
    return (
      row && {
        ...row,
        live: false,
        title: row.fallbackTitle ?? '',
        begin: undefined,
        trashedAt: undefined,
        summary: undefined,
      }
    );
  };
  let [created, begun] = [0, 0];
  const table: AttemptsOptions['table'] = {
    list: () => store.attempts.list(),
    get: (id) => store.attempts.get(id),
    remove: (id) => store.attempts.remove(id),
    save(group) {
      store.attempts.save(group);
      passed(
        group.op === undefined
          ? 'settled'
          : `saved ${group.op.kind} ${group.members.filter((one) => one.isBegun).length}`,
      );
    },
  };
  const attempts = new Attempts({
    table,
    data: dataDirectory(root),
    workspaces: {
      archive: async (id) => {
        const row = await workspaces.archive(id);
        passed('archived');
        return row;
      },
      contents: (id) => workspaces.contents(id),
      async create(...asked) {
        const row = await workspaces.create(...asked);
        passed(`created ${++created}`);
        return row;
      },
      find: (...asked) => workspaces.find(...asked),
      get: (id) => workspaces.get(id),
    },
    shared: workspaces.shared,
    sessions: {
      assertStartable: () => undefined,
      assertUnstarted: () => undefined,
      archive: (id, archived) => store.sessions.archive(id, archived),
      create(id, of, agent, how) {
        if (id === refused) throw new CodedError('AGENT_UNAVAILABLE', 'The agent is missing.');
        store.sessions.insert({
          id,
          project: of,
          agent,
          workspace: how?.workspace,
          begin: undefined,
          createdAt: 1,
        });
        passed(`session ${created}`);
      },
      find: rowOf,
      row: (id) => rowOf(id) ?? fail(),
      place: (id, workspace) => store.sessions.place(id, workspace),
      setFallbackTitle: () => undefined,
    },
    firstPrompts: {
      isHeld: () => false,
      hold(session, { id, text }) {
        // As a host: the id makes sure that it counts once.
        if (!promptsOf(root).some((one) => one.session === session && one.id === id))
          appendFileSync(held, `${JSON.stringify({ session, id, text })}\n`);
        passed(`held ${++begun}`);
      },
    },
    releaseHost: async () => undefined,
    keepFiles: async () => undefined,
    changed: () => undefined,
    listChanged: () => undefined,
    now: Date.now,
    log: silent,
    ...overrides,
  });
  return {
    ...place,
    attempts,
    async close() {
      attempts.close();
      await place.close();
    },
  };
}

export function promptsOf(root: string): { session: string; id: string; text: string }[] {
  const file = join(root, 'prompts');
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

const uuid = (digit: number) => `00000000-0000-4000-8000-00000000000${digit}`;

/** Three attempts with known ids. */
export const REQUEST = {
  id: uuid(9),
  prompt: { kind: 'prompt.send' as const, id: uuid(8), text: 'Make it faster' },
  attempts: [1, 2, 3].map((number) => ({
    session: uuid(number),
    workspace: uuid(number + 3),
    agent: 'tester',
  })),
};

export { PROJECT };

function fail(): never {
  throw new Error('no such session');
}
