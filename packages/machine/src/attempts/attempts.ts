/**
 * Attempts (B37): starts one prompt in several sessions, each in its own workspace, all from one commit, and archives
 * the others when the user chose one. What is to be done is in the row first, so that a killed server loses nothing
 * and no session gets its prompt twice.
 */
import type { DataDirectory } from '@tugdeck/local/data-directory';
import type { Log } from '@tugdeck/local/log';
import type { AttemptsRow, StartAttempts } from '@tugdeck/protocol/attempts/attempts';
import { firstPromptSchema } from '@tugdeck/protocol/conversation/commands';
import { CodedError, reportOf } from '@tugdeck/protocol/wire/errors';
import type { AttemptTable, StoredAttempt, StoredAttempts } from '@tugdeck/store/attempt-table';
import { isDangerousMode } from '../agents/preferences.ts';
import type { FirstPrompts } from '../sessions/first-prompts.ts';
import type { Sessions } from '../sessions/sessions.ts';
import type { SharedStarts } from '../workspaces/shared-starts.ts';
import type { Workspaces } from '../workspaces/workspaces.ts';
import { toAttemptsRow } from './attempts-row.ts';
import { copyAttachments } from './copy-attachments.ts';

export interface AttemptsOptions {
  readonly table: AttemptTable;
  readonly data: Pick<DataDirectory, 'session'>;
  readonly sessions: Pick<
    Sessions,
    | 'archive'
    | 'assertStartable'
    | 'assertUnstarted'
    | 'create'
    | 'find'
    | 'place'
    | 'row'
    | 'setFallbackTitle'
  >;
  readonly workspaces: Pick<Workspaces, 'archive' | 'contents' | 'create' | 'find' | 'get'>;
  /** Of the workspaces. */
  readonly shared: Pick<SharedStarts, 'base' | 'check' | 'checkCommand' | 'settle'>;
  readonly firstPrompts: Pick<FirstPrompts, 'hold' | 'isHeld'>;
  /** Ends a session's host and waits until it is gone. */
  readonly releaseHost: (session: string) => Promise<void>;
  /** The current files of an attempt, kept so that they can be compared later; undefined if they can't be read. */
  readonly keepFiles: (session: string) => Promise<string | undefined>;
  /** The session's row changed. */
  readonly changed: (session: string) => void;
  /** The list of groups changed. */
  readonly listChanged: () => void;
  readonly now: () => number;
  readonly log: Pick<Log, 'warn'>;
}

/** Workspaces that are created at the same time: a setup can use the whole machine. */
const AT_ONCE = 2;
const MAX_TITLE = 100;

export class Attempts {
  readonly #options: AttemptsOptions;
  readonly #listeners = new Set<(group: string) => void>();
  /** Sessions whose check runs. */
  readonly #checking = new Set<string>();
  #isClosed = false;

  constructor(options: AttemptsOptions) {
    this.#options = options;
  }

  /** Calls `listener` when the result of a check or a group changed. */
  subscribe(listener: (group: string) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  list(project: string): AttemptsRow[] {
    return this.#options.table
      .list()
      .filter((group) => group.project === project)
      .map(toAttemptsRow);
  }

  /** By id within a project. */
  get(project: string, id: string): StoredAttempts {
    const group = this.#options.table.get(id);
    if (group?.project !== project)
      throw new CodedError('WORKSPACE_NOT_FOUND', 'These attempts were not found.');
    return group;
  }

  /** By session id or workspace name. */
  find(project: string, attempt: string): { readonly group: StoredAttempts; readonly session: string } {
    const { table, workspaces } = this.#options;
    const groups = table.list().filter((group) => group.project === project);
    const workspace = groups.some(({ members }) => members.some(({ session }) => session === attempt))
      ? undefined
      : workspaces.find(project, attempt).id;
    for (const group of groups.reverse()) {
      const member = group.members.find((one) => one.session === attempt || one.workspace === workspace);
      if (member) return { group, session: member.session };
    }
    throw new CodedError('WORKSPACE_NOT_FOUND', `${attempt.slice(0, 100)} is not an attempt.`);
  }

  isChecking(session: string): boolean {
    return this.#checking.has(session);
  }

  /** Resolves once the prompt and the base are on disk. Idempotent for the same id. */
  async start(
    project: string,
    { id, prompt, base: asked, attempts }: StartAttempts,
    { byProgram = false } = {},
  ): Promise<AttemptsRow> {
    const { table, shared, now } = this.#options;
    if (table.get(id)) return toAttemptsRow(this.get(project, id));
    this.#check(project, attempts);
    const base = await shared.base(project, asked);
    const known = table.get(id);
    if (known) return toAttemptsRow(this.get(project, id));
    const group: StoredAttempts = {
      ...{ id, project },
      title: titleOf(prompt.text),
      baseRef: base.ref,
      baseCommit: base.commit,
      members: attempts.map(({ session, workspace, agent, model, mode }) => ({
        ...{ session, workspace, agent, model, mode },
      })),
      chosen: undefined,
      op: { kind: 'start', prompt, byProgram, note: base.note },
      createdAt: now(),
    };
    table.save(group);
    await this.#beginFirst(group);
    const begun = this.get(project, id);
    this.#options.listChanged();
    void this.#start(begun);
    return toAttemptsRow(begun);
  }

  /** The page sends the prompt to the first session too, which must be in its workspace by then. */
  async #beginFirst(group: StoredAttempts): Promise<void> {
    const [first] = group.members;
    if (!first) return;
    try {
      await this.#createSession(group, first);
    } catch (error) {
      // Nothing else has begun.
      this.#options.table.remove(group.id);
      throw error;
    }
    this.#updateMember(group.id, first.session, { isBegun: true });
  }

  /** Continues what an earlier server began. */
  resume(): void {
    for (const group of this.#options.table.list()) {
      if (group.op?.kind === 'start') void this.#start(group);
      else if (group.op?.kind === 'choose') void this.#archiveOthers(group).catch(() => undefined);
    }
  }

  /** The next server continues. */
  close(): void {
    this.#isClosed = true;
    this.#listeners.clear();
  }

  /** A follow-up to some of the attempts: the same bytes for each, sent once (B38). */
  send(
    project: string,
    {
      group,
      sessions,
      command,
      text,
    }: { group: string; sessions: readonly string[]; command: string; text: string },
  ): void {
    const { firstPrompts, sessions: rows } = this.#options;
    const { members } = this.get(project, group);
    const wanted = [...new Set(sessions)];
    for (const session of wanted) {
      const member = members.find((one) => one.session === session);
      const row = rows.find(session);
      if (!member || !row) throw new CodedError('SESSION_NOT_FOUND');
      if (row.archived || row.trashedAt !== undefined)
        throw new CodedError(
          'WORKSPACE_MISSING',
          'One of these attempts is archived.',
          'Restore it to continue.',
        );
      if (firstPrompts.isHeld(session))
        throw new CodedError(
          'WORKSPACE_BUSY',
          'One of these attempts has not received its last message yet.',
          'Wait until its workspace is ready.',
        );
    }
    for (const session of wanted) firstPrompts.hold(session, { kind: 'prompt.send', id: command, text });
  }

  /** Runs the check command in the workspace of each attempt, or of one. Their results are in the row. */
  check(project: string, id: string, only?: string): void {
    const { shared } = this.#options;
    const { members } = this.get(project, id);
    const wanted = members.filter(({ session }) => only === undefined || session === only);
    const idle = wanted.filter((one) => !this.#checking.has(one.session) && this.#isOnDisk(one));
    for (const { workspace } of idle) shared.checkCommand(workspace);
    for (const member of idle) void this.#runCheck(id, member);
    this.#emit(id);
  }

  /** Archives all but one (B40). Refused before anything is archived if one of them can't be. */
  async choose(project: string, id: string, session: string): Promise<void> {
    const { table, workspaces, keepFiles } = this.#options;
    const before = this.get(project, id);
    if (before.op) throw new CodedError('WORKSPACE_BUSY', 'Not all of these attempts have started.');
    if (!before.members.some((member) => member.session === session))
      throw new CodedError('SESSION_NOT_FOUND');
    for (const member of before.members.filter((one) => one.session !== session && this.#isOnDisk(one))) {
      const { refusal } = await workspaces.contents(member.workspace);
      if (refusal !== undefined)
        throw new CodedError(
          'WORKSPACE_BUSY',
          `${workspaces.get(member.workspace).name}: ${refusal} Nothing was archived.`,
          'Stop it or wait, then choose again.',
        );
    }
    const trees = new Map<string, string | undefined>();
    for (const member of before.members)
      if (this.#isOnDisk(member)) trees.set(member.session, await keepFiles(member.session));
    const current = this.get(project, id);
    if (current.op) throw new CodedError('WORKSPACE_BUSY', 'Another attempt is being chosen.');
    const members = current.members.map((member) => ({
      ...member,
      tree: trees.get(member.session) ?? member.tree,
    }));
    const chosen = { ...current, members, chosen: session, op: { kind: 'choose' } as const };
    table.save(chosen);
    this.#options.listChanged();
    await this.#archiveOthers(chosen);
  }

  /** Throws before anything is stored or created. */
  #check(project: string, attempts: StartAttempts['attempts']): void {
    const { sessions } = this.#options;
    const ids = attempts.flatMap(({ session, workspace }) => [session, workspace]);
    if (new Set(ids).size !== ids.length)
      throw new CodedError('INVALID_MESSAGE', 'Two attempts have the same id.');
    for (const { session, agent, mode, confirmed } of attempts) {
      if (mode !== undefined && isDangerousMode(agent, mode) && !confirmed)
        throw new CodedError(
          'CONFIRMATION_NEEDED',
          'Some attempts would run everything without asking. Confirm to continue.',
        );
      sessions.assertStartable(project, agent);
      const row = sessions.find(session);
      if (!row) continue;
      if (row.project !== project || row.agent !== agent)
        throw new CodedError('INVALID_MESSAGE', 'This id belongs to another session.');
      sessions.assertUnstarted(session);
    }
  }

  async #start({ id, members }: StoredAttempts): Promise<void> {
    // Those that an earlier server began come first: they take a place until their workspace is ready.
    const left = [...members.filter(({ isBegun }) => isBegun), ...members.filter(({ isBegun }) => !isBegun)];
    const work = async () => {
      for (let next = left.shift(); next && !this.#isClosed; next = left.shift()) {
        if (!next.isBegun) await this.#begin(id, next);
        await this.#options.shared.settle(next.workspace);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    if (!this.#isClosed) this.#update(id, (group) => ({ ...group, op: undefined }));
  }

  async #begin(id: string, member: StoredAttempt): Promise<void> {
    const { log, table } = this.#options;
    let fault: string | undefined;
    try {
      const group = table.get(id);
      if (!group) return;
      await this.#createSession(group, member);
    } catch (error) {
      if (this.#isClosed) return;
      const report = reportOf(error);
      log.warn('attempt not started', { session: member.session, ...report });
      fault = report.message.slice(0, 1000);
    }
    if (this.#isClosed) return;
    this.#updateMember(id, member.session, { isBegun: true, fault });
  }

  /** Each step can be repeated; the id of the prompt makes sure that it takes effect once. */
  async #createSession(group: StoredAttempts, member: StoredAttempt): Promise<void> {
    const { sessions, workspaces, firstPrompts, releaseHost, changed } = this.#options;
    const { session, agent } = member;
    if (group.op?.kind !== 'start') return;
    const prompt = firstPromptSchema.parse(group.op.prompt);
    const { id: workspace } = await workspaces.create(
      group.project,
      { title: prompt.text.slice(0, 2_000) },
      member.workspace,
      { ref: group.baseRef, commit: group.baseCommit, note: group.op.note },
    );
    const row = sessions.find(session);
    if (!row) {
      sessions.create(session, group.project, agent, { workspace, byProgram: group.op.byProgram });
    } else if (row.workspace !== workspace) {
      sessions.assertUnstarted(session);
      await releaseHost(session);
      sessions.place(session, workspace);
    }
    copyAttachments(this.#options.data, group, session, prompt);
    sessions.setFallbackTitle(session, titleOf(prompt.text));
    firstPrompts.hold(session, prompt);
    changed(session);
  }

  async #runCheck(id: string, { session, workspace }: StoredAttempt): Promise<void> {
    const { shared, keepFiles, now, log } = this.#options;
    this.#checking.add(session);
    try {
      const tree = await keepFiles(session);
      const code = await shared.check(workspace, `attempt-${session}`);
      if (this.#isClosed) return;
      this.#updateMember(id, session, {
        check: {
          at: now(),
          ...(code === undefined ? {} : { code }),
          ...(tree === undefined ? {} : { tree }),
        },
      });
    } catch (error) {
      if (!this.#isClosed) log.warn('check of an attempt', { session, ...reportOf(error) });
    } finally {
      this.#checking.delete(session);
      this.#emit(id);
    }
  }

  async #archiveOthers({ id, members, chosen }: StoredAttempts): Promise<void> {
    const { workspaces, shared, sessions, changed, log } = this.#options;
    try {
      for (const member of members.filter(({ session }) => session !== chosen)) {
        if (this.#isClosed) return;
        if (this.#isOnDisk(member)) await workspaces.archive(member.workspace);
        await shared.settle(member.workspace);
        if (sessions.find(member.session)) {
          sessions.archive(member.session, true);
          changed(member.session);
        }
      }
    } catch (error) {
      log.warn('attempts not archived', { attempts: id, ...reportOf(error) });
      throw error;
    } finally {
      // One that began to work in between stays; the user can choose again.
      if (!this.#isClosed) this.#update(id, (group) => ({ ...group, op: undefined }));
    }
  }

  #isOnDisk({ workspace, isBegun, fault }: StoredAttempt): boolean {
    if (!isBegun || fault !== undefined) return false;
    try {
      return this.#options.workspaces.get(workspace).state === 'ready';
    } catch {
      return false; // It was forgotten.
    }
  }

  #updateMember(id: string, session: string, changes: Partial<StoredAttempt>): void {
    this.#update(id, (group) => ({
      ...group,
      members: group.members.map((member) =>
        member.session === session ? { ...member, ...changes } : member,
      ),
    }));
  }

  #update(id: string, change: (group: StoredAttempts) => StoredAttempts): void {
    const group = this.#options.table.get(id);
    if (!group) return;
    this.#options.table.save(change(group));
    this.#options.listChanged();
    this.#emit(id);
  }

  #emit(group: string): void {
    for (const listener of this.#listeners) listener(group);
  }
}

function titleOf(text: string): string {
  return text.trim().split('\n', 1)[0]?.slice(0, MAX_TITLE) || 'New session';
}
