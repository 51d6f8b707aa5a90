/**
 * Restores a session to a message (T11–T29): checks the command, lets `RestoreFiles` change the files, and journals
 * what happened. A restore that a crash cut off stays open until the user finishes, undoes or leaves it.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Log } from '@tugdeck/local/log';
import type { Change, ChangeBody } from '@tugdeck/protocol/conversation/changes';
import type { Command } from '@tugdeck/protocol/conversation/commands';
import { decide, REFUSALS, type RefusalCode } from '@tugdeck/protocol/conversation/decide';
import {
  conversationChanges,
  memoryBefore,
  undoneConversation,
} from '@tugdeck/protocol/conversation/decide-restore';
import type { UserEntry } from '@tugdeck/protocol/conversation/entries';
import type { RestorePreview, RestoreRecord } from '@tugdeck/protocol/conversation/restore';
import { isAside, openRestore, recordOf } from '@tugdeck/protocol/conversation/restore-state';
import type { Todo } from '@tugdeck/protocol/conversation/session-info';
import { entryById } from '@tugdeck/protocol/conversation/state';
import { PAGE, type Page } from '@tugdeck/protocol/conversation/window';
import { CodedError, reportOf } from '@tugdeck/protocol/wire/errors';
import type { HostMessage, HostRequest } from '@tugdeck/protocol/wire/host-link';
import type { BranchPlan } from '@tugdeck/trees/branch-move';
import type { EndedOperation } from '@tugdeck/trees/carry/carry';
import type { CarryRow } from '@tugdeck/trees/carry/carry-row';
import type { Operation } from '@tugdeck/trees/carry/operation';
import { hostNotice } from './notices.ts';
import type { PlannedFiles, RestoreFiles } from './restore-files.ts';
import type { SessionLog } from './session-log.ts';

export type RestoreCommand = Extract<Command, { kind: `restore.${string}` }>;

type PreviewRequest = Extract<HostRequest, { type: 'preview' }>;

export interface RestorerPorts {
  readonly sessionLog: SessionLog;
  readonly files?: RestoreFiles | undefined;
  /** Older entries, from the journal. */
  readonly page: (before: number, limit: number) => Page;
  /** The to-dos before a change of the journal, the first one since the entry `seq` for which `isEnd` is true. */
  readonly todosBefore: (at: {
    readonly seq: number;
    readonly isEnd: (change: Change) => boolean;
  }) => readonly Todo[] | undefined;
  /** Ends the agent; its next start continues from another place. */
  readonly stopAgent: () => Promise<void>;
  readonly log: Log;
}

/** Number of pages that are searched for commands. */
const MAX_PAGES = 50;
const MAX_COMMANDS = 100;
/** Files in a preview; the rest is counted. */
const MAX_FILES = 2_000;

export function isRestoreCommand(command: Command): command is RestoreCommand {
  return command.kind.startsWith('restore.');
}

export class Restorer {
  readonly #ports: RestorerPorts;

  constructor(ports: RestorerPorts) {
    this.#ports = ports;
  }

  get #state() {
    return this.#ports.sessionLog.state;
  }

  /** Settles operations of a killed host: not journaled yet, or ended without a journal line. */
  settle(): void {
    const { files, sessionLog, log } = this.#ports;
    if (!files) return;
    for (const operation of files.unfinished()) {
      if (recordOf(this.#state, operation.id)) continue;
      // Journaling comes before the first change, so no file was changed.
      void files.leave(operation).catch((error: unknown) => log.warn('restore not settled', { error }));
    }
    const open = openRestore(this.#state);
    const ended = open && files.operation(open.id)?.ended;
    if (open && ended) sessionLog.commit(this.#endChanges(open, ended.outcome, countsOf({ ended })));
  }

  async preview(request: PreviewRequest): Promise<HostMessage> {
    const { id } = request;
    try {
      return { type: 'preview', id, preview: await this.#preview(request) };
    } catch (error) {
      this.#ports.log.warn('no preview', { error });
      return { type: 'error', ...reportOf(error), command: id };
    }
  }

  async #preview({ entry, restore, paths, compare }: PreviewRequest): Promise<RestorePreview> {
    const { files } = this.#ports;
    if (restore !== undefined) {
      const operation = files?.operation(restore);
      const found = operation && (await files?.plan(operation, paths));
      return previewOf(found, 'resume', []);
    }
    const target = this.#entry(entry ?? '');
    if (!target) throw new CodedError('INVALID_MESSAGE');
    const { turn, id: prompt } = target;
    const found = turn === undefined ? undefined : await files?.plan({ turn, prompt }, paths);
    const preview = previewOf(found, memoryBefore(this.#state, target).kind, this.#commandsSince(target.seq));
    if (!compare || turn === undefined) return preview;
    const until = compare.until === undefined ? undefined : this.#entry(compare.until);
    if (compare.until !== undefined && until?.turn === undefined) throw new CodedError('INVALID_MESSAGE');
    const other = until?.turn === undefined ? undefined : { turn: until.turn, prompt: until.id };
    const patch = await files?.compare({ turn, prompt }, other);
    return patch === undefined ? { ...preview, missing: REFUSALS.RESTORE_NO_TREE } : { ...preview, patch };
  }

  /** Commands of the agent since a message, oldest first. One that was denied never ran. */
  #commandsSince(from: number): string[] {
    const { page } = this.#ports;
    const commands: string[] = [];
    let before = this.#state.nextSeq;
    for (let pages = 0; before > from && pages < MAX_PAGES; pages += 1) {
      const { entries } = page(before, PAGE);
      const [first] = entries;
      if (!first) break;
      const found = entries.flatMap((entry) =>
        entry.seq >= from &&
        entry.kind === 'tool' &&
        entry.toolKind === 'shell' &&
        entry.state !== 'denied' &&
        !isAside(this.#state, entry.seq)
          ? [entry.title]
          : [],
      );
      commands.unshift(...found);
      before = first.seq;
    }
    return commands.slice(-MAX_COMMANDS);
  }

  async run(command: RestoreCommand): Promise<HostMessage> {
    const { sessionLog } = this.#ports;
    if (command.kind === 'restore.to') sessionLog.recall(command.entry);
    const decision = decide(this.#state, command);
    if (decision.refusal) return this.#refuse(command, decision.refusal);
    const hasFiles =
      'parts' in command ? command.parts.files : recordOf(this.#state, command.restore)?.parts.files;
    try {
      if (!hasFiles) {
        await this.#ports.stopAgent();
        const changes = decision.changes.flatMap((change) =>
          change.kind === 'restore.began' ? [change, ...this.#todosAfter(change)] : [change],
        );
        sessionLog.commit(changes, command.id);
      } else {
        const refusal = await this.#withFiles(command);
        if (refusal) return this.#refuse(command, refusal);
      }
    } catch (error) {
      this.#ports.log.error('restore failed', { error });
      return { type: 'error', ...reportOf(error), command: command.id };
    }
    return { type: 'receipt', command: command.id, v: this.#state.v };
  }

  #withFiles(command: RestoreCommand): Promise<RefusalCode | undefined> {
    switch (command.kind) {
      case 'restore.to':
        return this.#to(command);
      case 'restore.undo':
        return this.#undo(command);
      case 'restore.finish':
      case 'restore.leave':
        return this.#end(command);
    }
  }

  async #to(command: Extract<Command, { kind: 'restore.to' }>): Promise<RefusalCode | undefined> {
    const { files } = this.#ports;
    const { id, parts, plan: shown, choices, tip } = command;
    const entry = this.#entry(command.entry);
    if (!files || entry?.turn === undefined) return 'RESTORE_NO_TREE';
    if (parts.conversation) await this.#ports.stopAgent();
    let refusal: RefusalCode | undefined;
    const begin = ({ plan, branch }: PlannedFiles) => {
      const isIdle = plan.rows.every(isStaying) && Object.keys(choices ?? {}).length === 0;
      const move = parts.branch ? branch?.move : undefined;
      if (plan.hash !== shown || (parts.branch && (!move || move.from !== tip))) refusal = 'RESTORE_CHANGED';
      else if (isIdle && !parts.conversation && !move) refusal = 'RESTORE_NOTHING';
      return refusal ? undefined : { ...(choices ? { choices } : {}), ...(move ? { branch: move } : {}) };
    };
    const target = { turn: entry.turn, prompt: entry.id };
    const done = await files.carry(target, id, begin, (operation) => this.#began(command, operation));
    if (done === 'missing') return 'RESTORE_NO_TREE';
    if (done === 'refused') return refusal;
    this.#ended(id, done);
    return undefined;
  }

  async #undo(command: Extract<Command, { kind: 'restore.undo' }>): Promise<RefusalCode | undefined> {
    const { files, sessionLog } = this.#ports;
    const operation = files?.operation(command.restore);
    const record = recordOf(this.#state, command.restore);
    if (!files || !operation || !record) return 'RESTORE_NO_TREE';
    if (record.parts.conversation) await this.#ports.stopAgent();
    if (record.state === 'open') {
      await files.leave(operation);
      sessionLog.commit([{ kind: 'restore.ended', restore: record.id, outcome: 'abandoned' }]);
    }
    const { plan: shown } = command;
    let kept: LeftFile[] = [];
    const begin = ({ plan, branch }: PlannedFiles) => {
      kept = plan.rows.filter(isStaying).map(({ path, why }) => ({ path, why: why ?? 'changed' }));
      return shown === undefined || plan.hash === shown ? { branch: branch?.move } : undefined;
    };
    const done = await files.carry(operation, command.id, begin, (one) => this.#began(command, one));
    if (done === 'missing') return 'RESTORE_NO_TREE';
    if (done === 'refused') return 'RESTORE_CHANGED';
    // An undo has no preview that could have named them.
    this.#ended(command.id, done, kept);
    return undefined;
  }

  async #end(
    command: Extract<Command, { kind: 'restore.finish' | 'restore.leave' }>,
  ): Promise<RefusalCode | undefined> {
    const { files, sessionLog } = this.#ports;
    const record = recordOf(this.#state, command.restore);
    const operation = files?.operation(command.restore);
    if (!files || !operation || !record) return 'RESTORE_NO_TREE';
    if (command.kind === 'restore.leave') {
      await files.leave(operation);
      sessionLog.commit([{ kind: 'restore.ended', restore: record.id, outcome: 'abandoned' }], command.id);
      return undefined;
    }
    const { ended } = await files.finish(operation);
    if (record.parts.conversation) await this.#ports.stopAgent();
    const changes = this.#endChanges(record, ended.outcome, countsOf({ ended }));
    sessionLog.commit([...changes, ...leftNotice({ ended })], command.id);
    return undefined;
  }

  /** Journaled before the first file changes. */
  #began(command: RestoreCommand, operation: Operation): void {
    const decision = decide(this.#state, command);
    if (decision.refusal) throw new CodedError('SESSION_BUSY');
    const counts = { files: operation.rows.length };
    const changes = decision.changes.map((change) =>
      change.kind === 'restore.began' ? { ...change, counts } : change,
    );
    this.#ports.sessionLog.commit(changes, command.id);
    this.#ports.sessionLog.sync();
  }

  #ended(id: string, done: EndedOperation, kept: readonly LeftFile[] = []): void {
    const record = recordOf(this.#state, id);
    if (!record) return;
    const notices = leftNotice(done, kept);
    this.#ports.sessionLog.commit([
      ...this.#endChanges(record, done.ended.outcome, countsOf(done)),
      ...notices,
    ]);
    this.#ports.sessionLog.sync();
  }

  /** The conversation follows the files, in one batch with the end. */
  #endChanges(
    record: RestoreRecord,
    outcome: EndedOperation['ended']['outcome'],
    counts: Record<string, number>,
  ): ChangeBody[] {
    const ended: ChangeBody = { kind: 'restore.ended', restore: record.id, outcome, counts };
    if (!record.parts.conversation || outcome === 'abandoned') return [ended];
    const todos = this.#todosAfter(record);
    const undone = record.undoes === undefined ? undefined : recordOf(this.#state, record.undoes);
    if (undone) return [...undoneConversation(this.#state, record.id, undone), ...todos, ended];
    const entry = this.#entry(record.target.entry);
    return entry ? [...conversationChanges(this.#state, record.id, entry), ...todos, ended] : [ended];
  }

  /** To-dos become those before the message, or before the restore that is undone (T28). */
  #todosAfter({ undoes, target }: Pick<RestoreRecord, 'undoes' | 'target'>): ChangeBody[] {
    const { todosBefore } = this.#ports;
    const undone = undoes === undefined ? undefined : recordOf(this.#state, undoes);
    const entry = undone ? undefined : this.#entry(target.entry);
    const seq = undone ? Math.max(0, (undone.seq ?? 0) - 1) : entry?.seq;
    if (seq === undefined) return [];
    const isEnd = (change: Change) =>
      undone
        ? change.kind === 'restore.began' && change.restore === undone.id
        : change.kind === 'prompt.accepted' && change.prompt.id === entry?.id;
    const todos = todosBefore({ seq, isEnd });
    if (!todos || isDeepStrictEqual(todos, this.#state.todos)) return [];
    return [{ kind: 'todos.replaced', todos: [...todos] }];
  }

  #entry(id: string): UserEntry | undefined {
    if (id !== '') this.#ports.sessionLog.recall(id);
    const entry = entryById(this.#state, id);
    return entry?.kind === 'user' ? entry : undefined;
  }

  #refuse(command: RestoreCommand, refusal: RefusalCode): HostMessage {
    const message = REFUSALS[refusal];
    return { type: 'receipt', command: command.id, v: this.#state.v, refusal, message };
  }
}

function isStaying({ state }: CarryRow): boolean {
  return state === 'conflict' || state === 'guarded' || state === 'kept';
}

const LEFT_REASONS: Readonly<Record<string, string>> = {
  changed: 'changed since',
  moved: 'its folder moved',
  occupied: 'its name is taken',
  failed: 'not writable',
};
const MAX_NAMED = 20;
const BRANCH_STAYED = 'The branch was not moved, because it or the index changed since.';

interface LeftFile {
  readonly path: string;
  readonly why: string;
  readonly code?: string | undefined;
}

/** Names the files that stayed as they are (T21), also those that `kept` later edits (T14). */
function leftNotice({ ended }: Pick<EndedOperation, 'ended'>, kept: readonly LeftFile[] = []): ChangeBody[] {
  const stayed = ended.moved === false ? [hostNotice('info', 'warning', BRANCH_STAYED)] : [];
  const left: LeftFile[] = [...kept, ...ended.left];
  if (left.length === 0) return stayed;
  const names = left.slice(0, MAX_NAMED).map(({ path, why, code }) => {
    const reason = why === 'failed' && code !== undefined ? code : (LEFT_REASONS[why] ?? why);
    return `${path} (${reason})`;
  });
  const more = left.length > MAX_NAMED ? [`and ${left.length - MAX_NAMED} more`] : [];
  return [...stayed, hostNotice('info', 'warning', `Not restored: ${[...names, ...more].join(', ')}`)];
}

function countsOf({ ended }: Pick<EndedOperation, 'ended'>): Record<string, number> {
  const { written, removed, left, moved } = ended;
  return { written, removed, left: left.length, ...(moved ? { branch: 1 } : {}) };
}

function branchOf({ move, stays, pushed }: BranchPlan): RestorePreview['branch'] {
  return { pushed, ...(move ? { name: move.branch, tip: move.from } : {}), ...(stays ? { stays } : {}) };
}

function previewOf(
  found: PlannedFiles | undefined,
  memory: RestorePreview['memory'],
  commands: string[],
): RestorePreview {
  const rows = found?.plan.rows ?? [];
  const counts: Record<string, number> = {};
  for (const { state } of rows) counts[state] = (counts[state] ?? 0) + 1;
  const before = found?.checkpoint?.head;
  const now = found?.head;
  return {
    ...(found ? { plan: found.plan.hash } : { missing: REFUSALS.RESTORE_NO_TREE }),
    files: rows
      .slice(0, MAX_FILES)
      .map(({ path, state, why }) => ({ path, state, ...(why === undefined ? {} : { why }) })),
    more: Math.max(0, rows.length - MAX_FILES),
    counts,
    late: found?.checkpoint?.late === true,
    gaps: (found?.gaps ?? []).map(({ turn, why }) => ({ turn, why })),
    leftOut: found?.checkpoint?.left ?? 0,
    ...(before || now ? { head: { ...(before ? { before } : {}), ...(now ? { now } : {}) } } : {}),
    ...(found?.commits ? { commits: [...found.commits] } : {}),
    ...(found?.branch ? { branch: branchOf(found.branch) } : {}),
    ...(found?.patch === undefined ? {} : { patch: found.patch }),
    commands,
    memory,
  };
}
