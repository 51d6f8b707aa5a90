/**
 * Hands off a session between the checkout and a workspace (B72 to B77): carries the files, then moves the session. An
 * operation of the workspace at one of its ends, so that the next server finishes it. The old place stays as it is.
 */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import type { HandoffChoice, HandoffPreview, HandoffRequest } from '@tugdeck/protocol/workspaces/handoff';
import type { StoredWorkspace } from '@tugdeck/store/workspace-table';
import { changedPaths } from '@tugdeck/trees/compare-trees';
import { findRepository } from '@tugdeck/trees/find-repository';
import { recordTree } from '@tugdeck/trees/record-tree';
import { openShadow } from '@tugdeck/trees/turn-trees';
import { commitOf, Repository } from '../git/repository.ts';
import {
  beginWork,
  finishWork,
  hasBegun,
  type PlannedWork,
  planRemoval,
  planWork,
  treeOf,
} from './carry-work.ts';
import { directoryOf } from './environment.ts';
import { mergeBase } from './landing/land-preview.ts';
import { type Step, save } from './operation.ts';
import type { Operations, WorkspacesOptions } from './operations.ts';

/** Stored with the operation. A workspace that is undefined means the checkout. */
interface HandoffData {
  readonly id: string;
  readonly session: string;
  readonly from?: string;
  readonly to?: string;
  readonly hash: string;
  /** A second carry takes the changes out of the checkout. */
  readonly take?: string;
  /** The files that were carried, as a tree; and the commit they are compared with. */
  readonly tree?: string;
  readonly base?: string;
}

export interface HandoffPorts {
  readonly options: WorkspacesOptions;
  readonly operations: Operations;
  readonly idle: (id: string) => StoredWorkspace;
  readonly find: (project: string, name: string) => StoredWorkspace;
  /** Creates a workspace at a commit, and waits until it is ready. */
  readonly create: (project: string, title: string, base: string) => Promise<StoredWorkspace>;
}

const MAX_LISTED = 200;
const NEW = 'new';

export class Handoff {
  readonly #ports: HandoffPorts;

  constructor(ports: HandoffPorts) {
    this.#ports = ports;
    ports.operations.handoff = (row) => handoffSteps(ports, row);
  }

  /** A page opens the area of one project. */
  assertOf(project: string, session: string): void {
    if (this.#ports.operations.use.session(session).project !== project)
      throw new CodedError('SESSION_NOT_FOUND');
  }

  async look(choice: HandoffChoice): Promise<HandoffPreview> {
    const { from, project, refusal } = this.#source(choice.session);
    const why = refusal === undefined ? {} : { refusal };
    if (choice.to === NEW) {
      if (from !== undefined)
        throw new CodedError(
          'INVALID_MESSAGE',
          'Only a session in the checkout can move to a new workspace.',
        );
      return { ...(await lookAtNew(this.#ports, project)), ...why };
    }
    const to = this.#target(project, choice.to);
    if (from?.id === to?.id) throw new CodedError('INVALID_MESSAGE', 'The session is already there.');
    const { plan, leftOut } = await planBetween(this.#ports, project, from, to);
    const staying = plan.rows.filter(({ state }) => ['conflict', 'kept', 'guarded'].includes(state));
    const conflicts = [...staying.map(({ path }) => path), ...leftOut];
    return {
      from: placeOf(this.#ports, project, from),
      to: placeOf(this.#ports, project, to),
      files: plan.rows.length - staying.length,
      merged: plan.rows.filter(({ state }) => state === 'merged').length,
      conflicts: conflicts.slice(0, MAX_LISTED),
      hash: plan.hash,
      ...why,
    };
  }

  async begin(request: HandoffRequest): Promise<{ end: Promise<StoredWorkspace> }> {
    const preview = await this.look(request);
    if (preview.refusal !== undefined) throw new CodedError('WORKSPACE_BUSY', preview.refusal);
    if (preview.hash !== request.hash) throw new CodedError('GIT_CHANGED');
    if (preview.conflicts.length > 0) throw conflicting(preview.conflicts);
    const { from, project, title } = this.#source(request.session);
    const to = request.to === NEW ? await this.#create(project, title) : this.#target(project, request.to);
    const owner = to ?? from;
    if (!owner) throw new CodedError('INVALID_MESSAGE');
    const data: HandoffData = {
      id: randomUUID(),
      session: request.session,
      ...(from ? { from: from.id } : {}),
      ...(to ? { to: to.id } : {}),
      // A new workspace has the commit of the checkout, so that nothing can conflict.
      hash: request.to === NEW ? '' : request.hash,
      ...(request.take === true && !from ? { take: randomUUID() } : {}),
    };
    const row = this.#ports.idle(owner.id);
    const op = { kind: 'handoff', step: 'plan', data: { ...data } } as const;
    return { end: this.#ports.operations.start(save(this.#ports.options.table, row, { op })) };
  }

  async #create(project: string, title: string): Promise<StoredWorkspace> {
    const checkout = await this.#ports.operations.repository(project);
    const base = await commitOf(checkout, 'HEAD');
    if (base === undefined) throw new CodedError('GIT_FAILED', 'This repository has no commit yet.');
    const created = await this.#ports.create(project, title, base);
    const { stdout } = await checkout.read(['symbolic-ref', '--quiet', 'HEAD'], { answers: [1] });
    const ref = stdout.toString('utf8').trim();
    // So that it can land on the branch of the checkout.
    return ref === '' ? created : save(this.#ports.options.table, created, { baseRef: ref });
  }

  #source(session: string) {
    const { operations } = this.#ports;
    const { project, workspace, title } = operations.use.session(session);
    const refusal = operations.use.isIdle(session) ? undefined : 'The agent is working.';
    return { project, title, from: this.#known(workspace), refusal };
  }

  #known(workspace: string | undefined): StoredWorkspace | undefined {
    return workspace === undefined ? undefined : this.#ports.idle(workspace);
  }

  #target(project: string, to: string): StoredWorkspace | undefined {
    return to === 'checkout' ? undefined : this.#ports.idle(this.#ports.find(project, to).id);
  }
}

function conflicting(paths: readonly string[]): CodedError {
  const names = paths.slice(0, 10).join(', ');
  return new CodedError(
    'WORKSPACE_UNSAFE',
    `Changed on both sides, or too large: ${names}. Nothing was handed off.`,
  );
}

function placeOf({ options }: HandoffPorts, project: string, row: StoredWorkspace | undefined): string {
  return row ? directoryOf(row) : options.projects.get(project).path;
}

/** The uncommitted files of the checkout. */
async function lookAtNew(ports: HandoffPorts, project: string): Promise<HandoffPreview> {
  const { options, operations } = ports;
  const from = placeOf(ports, project, undefined);
  const shadow = await openShadow({ home: options.data.trees, project: from });
  const { tree, leftOut } = await recordTree({ shadow, writer: `carry-${shadow.place}` });
  const head = await commitOf(await operations.repository(project), 'HEAD');
  if (head === undefined) throw new CodedError('GIT_FAILED', 'This repository has no commit yet.');
  const files = await changedPaths(shadow, await treeOf(shadow, head), tree);
  const conflicts = leftOut.map(({ path }) => path).slice(0, MAX_LISTED);
  return { from, files: files.length, merged: 0, conflicts, hash: tree };
}

async function planBetween(
  ports: HandoffPorts,
  project: string,
  from: StoredWorkspace | undefined,
  to: StoredWorkspace | undefined,
): Promise<PlannedWork & { base: string }> {
  const { data, now } = ports.options;
  const places = { from: placeOf(ports, project, from), to: placeOf(ports, project, to) };
  const [source, target] = [await headOf(places.from), await headOf(places.to)];
  const base = await mergeBase(source.repository, source.head, target.head);
  if (base === undefined)
    throw new CodedError('GIT_FAILED', 'The checkout and the workspace have no common history.');
  return { ...(await planWork({ home: data.trees, ...places, base, at: now() })), base };
}

async function headOf(directory: string): Promise<{ repository: Repository; head: string }> {
  const found = await findRepository(directory);
  if (found.kind !== 'repository') throw new CodedError('GIT_NO_REPOSITORY');
  // Only read.
  const repository = new Repository(found.place, () => false);
  const head = await commitOf(repository, 'HEAD');
  if (head === undefined) throw new CodedError('GIT_FAILED', 'This repository has no commit yet.');
  return { repository, head };
}

function handoffSteps(ports: HandoffPorts, begun: StoredWorkspace): Step[] {
  const { options, operations } = ports;
  const dataOf = (row: StoredWorkspace) => row.op?.data as unknown as HandoffData;
  const rowOf = (id: string | undefined) => (id === undefined ? undefined : options.table.get(id));
  const carryOf = (row: StoredWorkspace, id: string) => ({
    id,
    directory: join(options.data.carries, row.id),
    owner: row.id,
    now: options.now,
  });
  const { project } = begun;
  const shadowAt = async (place: StoredWorkspace | undefined) =>
    openShadow({ home: options.data.trees, project: placeOf(ports, project, place) });
  const { take } = dataOf(begun);
  return [
    {
      name: 'plan',
      async run(row) {
        const { id, from, to, hash, session } = dataOf(row);
        if (!operations.use.isIdle(session)) throw new CodedError('WORKSPACE_BUSY', 'The agent is working.');
        if (hasBegun(carryOf(row, id))) return undefined;
        const planned = await planBetween(ports, project, rowOf(from), rowOf(to));
        const staying = planned.plan.rows.filter(({ state }) =>
          ['conflict', 'kept', 'guarded'].includes(state),
        );
        if (staying.length > 0) throw conflicting(staying.map(({ path }) => path));
        if (hash !== '' && planned.plan.hash !== hash) throw new CodedError('GIT_CHANGED');
        if (!row.op) return undefined;
        const { tree, base } = planned;
        const noted = { op: { ...row.op, data: { ...row.op.data, tree, base } } };
        // In the row first: once the operation is on disk, nothing is planned again, and `take` needs both.
        save(options.table, row, noted);
        await beginWork(planned, carryOf(row, id));
        return noted;
      },
    },
    {
      name: 'carry',
      async run(row) {
        const { id, to } = dataOf(row);
        const { ended } = await finishWork(await shadowAt(rowOf(to)), carryOf(row, id));
        if (ended.left.length > 0) throw conflicting(ended.left.map(({ path }) => path));
        return undefined;
      },
    },
    {
      name: 'session',
      async run(row) {
        const { session, to } = dataOf(row);
        await operations.use.move(session, to);
        return undefined;
      },
    },
    ...(take === undefined
      ? []
      : [
          {
            name: 'take',
            async run(row: StoredWorkspace) {
              const { tree, base } = dataOf(row);
              if (tree === undefined || base === undefined) return undefined;
              const shadow = await shadowAt(undefined);
              const carry = carryOf(row, take);
              if (!hasBegun(carry)) {
                const planned = await planRemoval(shadow, { base, tree, at: options.now() });
                await beginWork(planned, carry);
              }
              await finishWork(shadow, carry);
              return undefined;
            },
          },
        ]),
  ];
}
