/**
 * `tugdeck checkpoints` (L10): lists the messages of a session, shows what a restore to one would do, restores, and
 * undoes restores. The session host does the work; the agent is not started.
 */
import { randomUUID } from 'node:crypto';
import { withTimings } from '@tugdeck/local/timings';
import { connectHost } from '@tugdeck/machine/hosts/host-connection';
import type { UserEntry } from '@tugdeck/protocol/conversation/entries';
import type { RestorePreview } from '@tugdeck/protocol/conversation/restore';
import { isAside, openRestore } from '@tugdeck/protocol/conversation/restore-state';
import { visibleText } from '@tugdeck/protocol/visible-text';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import type { HostMessage, HostRequestInput } from '@tugdeck/protocol/wire/host-link';
import { UsageError } from '../command-line.ts';
import { afterRestore } from '../sessions/after-restore.ts';
import { endSession, openSession } from '../sessions/open-session.ts';
import { findSession } from '../sessions/session-list.ts';
import { readTranscript, type Transcript } from '../sessions/transcript.ts';
import type { Command, Context } from './context.ts';

const EXIT = { done: 0, refused: 3, partial: 4 } as const;
/** Restoring many files takes a while. */
const ANSWER_MS = 10 * 60_000;
const MEMORY = {
  resume: 'The agent continues where it was.',
  fork: 'The agent remembers everything up to this message.',
  told: "The agent starts a new session and doesn't know the earlier messages.",
  new: 'The agent starts a new session.',
} as const;

export const checkpoints: Command = async (context) => {
  const [verb = 'list', id, number, until, ...rest] = context.line.arguments;
  if (id === undefined || rest.length > 0 || (until !== undefined && verb !== 'diff'))
    throw new UsageError('checkpoints needs the ID of a session');
  const { id: session } = await findSession(context, id);
  switch (verb) {
    case 'list':
      return list(context, readTranscript(context, session));
    case 'show':
      return withHost(context, session, (send) => show(context, send, messageOf(context, session, number)));
    case 'diff':
      return withHost(context, session, (send) => diff(context, session, send, [number, until]));
    case 'restore':
      return withHost(context, session, (send) => restore(context, session, send, number));
    case 'undo':
    case 'finish':
    case 'leave':
      return withHost(context, session, (send) => settle(context, session, send, verb));
    default:
      throw new UsageError(`checkpoints ${verb}: unknown command`);
  }
};

function promptsOf({ entries }: Transcript): UserEntry[] {
  return entries.filter((entry): entry is UserEntry => entry.kind === 'user');
}

function list(context: Context, transcript: Transcript): number {
  const { state } = transcript;
  const rows = promptsOf(transcript).map((entry, at) => ({
    number: at + 1,
    id: entry.id,
    at: entry.at,
    text: entry.text,
    aside: isAside(state, entry.seq),
  }));
  if (context.line.flags.has('json')) {
    context.print(JSON.stringify({ messages: rows, restores: state.restores }));
    return EXIT.done;
  }
  for (const { number, at, text, aside } of rows) {
    const when = new Date(at).toISOString().slice(0, 16).replace('T', ' ');
    context.print(`${String(number).padStart(4)}  ${when}  ${aside ? 'hidden  ' : ''}${oneLine(text)}`);
  }
  if (openRestore(state)) context.note('A restore is unfinished. Use checkpoints finish, undo or leave.');
  return EXIT.done;
}

function messageOf(context: Context, session: string, number: string | undefined): UserEntry {
  const entry = promptsOf(readTranscript(context, session))[Number(number) - 1];
  if (!entry) throw new UsageError('give the number of a message, as printed by checkpoints list');
  return entry;
}

type SendRequest = (request: HostRequestInput, id: string) => Promise<HostMessage>;

async function preview(
  send: SendRequest,
  entry: string,
  more: Pick<Extract<HostRequestInput, { type: 'preview' }>, 'compare'> = {},
): Promise<RestorePreview> {
  const id = randomUUID();
  const answer = await send({ type: 'preview', id, entry, ...more }, id);
  if (answer.type !== 'preview') throw new CodedError('INTERNAL_ERROR');
  return answer.preview;
}

async function show(context: Context, send: SendRequest, entry: UserEntry): Promise<number> {
  print(context, await preview(send, entry.id));
  return EXIT.done;
}

/** Prints a patch from one checkpoint to another, or to the current files. */
async function diff(
  context: Context,
  session: string,
  send: SendRequest,
  [from, to]: readonly [string | undefined, string | undefined],
): Promise<number> {
  const entry = messageOf(context, session, from);
  const until = to === undefined ? undefined : messageOf(context, session, to).id;
  const { patch, missing } = await preview(send, entry.id, { compare: until === undefined ? {} : { until } });
  if (patch === undefined) {
    context.note(missing ?? 'No checkpoint');
    return EXIT.refused;
  }
  if (context.line.flags.has('json')) context.print(JSON.stringify({ patch }));
  else if (patch !== '') context.print(patch.replace(/\n$/, ''));
  return EXIT.done;
}

function print(context: Context, shown: RestorePreview): void {
  if (context.line.flags.has('json')) {
    context.print(JSON.stringify(shown));
    return;
  }
  for (const { path, state, why } of shown.files) {
    context.print(`${state.padEnd(10)}${oneLine(path)}${why === undefined ? '' : ` (${why})`}`);
  }
  if (shown.more > 0) context.print(`… and ${shown.more} more`);
  if (shown.missing !== undefined) context.note(shown.missing);
  if (shown.late) context.note("This checkpoint may contain the agent's first changes.");
  if (shown.gaps.length > 0) {
    context.note(`${plural(shown.gaps.length, 'turn')} can't be reverted, or only in part.`);
  }
  const { commits = [], branch, commands = [] } = shown;
  if (commands.length > 0)
    context.note(`${plural(commands.length, 'command')} ran since. Effects elsewhere aren't undone.`);
  if (commits.length > 0)
    context.note(`${plural(commits.length, 'commit')} since. The branch stays where it is without --branch.`);
  if (branch?.stays !== undefined) context.note(`The branch can't be moved back (${branch.stays}).`);
  if (branch && branch.pushed > 0)
    context.note(`${plural(branch.pushed, 'commit')} already pushed. The remote is not changed.`);
  context.note(MEMORY[shown.memory]);
}

async function restore(
  context: Context,
  session: string,
  send: SendRequest,
  number: string | undefined,
): Promise<number> {
  const { flags } = context.line;
  const entry = messageOf(context, session, number);
  const shown = await preview(send, entry.id);
  print(context, shown);
  if (!flags.has('yes')) {
    context.note('Nothing was changed. Use --yes to restore.');
    return EXIT.done;
  }
  const tip = flags.has('branch') ? shown.branch?.tip : undefined;
  if (flags.has('branch') && tip === undefined) {
    context.note('The branch has not moved since.');
    return EXIT.refused;
  }
  const parts = {
    files: !flags.has('conversation'),
    conversation: !flags.has('files'),
    ...(tip === undefined ? {} : { branch: true }),
  };
  if (!parts.files && !parts.conversation) {
    throw new UsageError("--files and --conversation can't be used together");
  }
  const id = randomUUID();
  const { plan } = shown;
  const command = {
    kind: 'restore.to',
    id,
    entry: entry.id,
    parts,
    ...(plan === undefined ? {} : { plan }),
    ...(tip === undefined ? {} : { tip }),
  } as const;
  return report(context, session, await send({ type: 'command', command }, id));
}

async function settle(
  context: Context,
  session: string,
  send: SendRequest,
  verb: 'undo' | 'finish' | 'leave',
): Promise<number> {
  const { state } = readTranscript(context, session);
  const undone = new Set(state.restores.map(({ undoes }) => undoes));
  const last =
    openRestore(state) ?? state.restores.findLast((one) => !undone.has(one.id) && one.undoes === undefined);
  if (!last)
    throw new CodedError('NOT_FOUND', 'No restore found.', 'Use checkpoints list to see the session.');
  const id = randomUUID();
  const command = { kind: `restore.${verb}`, id, restore: last.id } as const;
  return report(context, session, await send({ type: 'command', command }, id));
}

function report(context: Context, session: string, answer: HostMessage): number {
  if (answer.type === 'receipt' && answer.refusal !== undefined) {
    context.note(answer.message ?? answer.refusal);
    return EXIT.refused;
  }
  const { state } = readTranscript(context, session);
  const last = state.restores.at(-1);
  const { written = 0, removed = 0, left = 0 } = last?.counts ?? {};
  context.note(`${plural(written, 'file')} written, ${removed} removed, ${left} left unchanged.`);
  if (last?.parts.branch)
    context.note(last.counts?.branch ? 'The branch was moved.' : 'The branch was not moved.');
  for (const note of afterRestore(state, session)) context.note(note);
  return last?.state === 'partial' ? EXIT.partial : EXIT.done;
}

function plural(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

/** Connects without starting the agent. */
async function withHost(
  context: Context,
  session: string,
  work: (send: SendRequest) => Promise<number>,
): Promise<number> {
  const { address, isUnmanaged } = await openSession(context, { session });
  const waiting = new Map<string, { answer(message: HostMessage): void; fail(error: Error): void }>();
  const link = await connectHost(
    address,
    {
      received: (batch) => {
        for (const message of batch) {
          const id =
            message.type === 'preview' ? message.id : 'command' in message ? message.command : undefined;
          const pending = waiting.get(id ?? '');
          if (message.type === 'error')
            pending?.fail(new CodedError(message.code, message.message, message.hint));
          else pending?.answer(message);
        }
      },
      unreadable: (problem) => context.note(`tugdeck: invalid message from the host: ${problem}`),
      closed: () => {
        for (const { fail } of waiting.values()) fail(new CodedError('HOST_UNAVAILABLE'));
      },
    },
    withTimings(context.settings.configuration.timings).hostStartMs,
  );
  try {
    return await work((request, id) => {
      const answered = new Promise<HostMessage>((answer, fail) => {
        waiting.set(id, { answer, fail });
        setTimeout(() => fail(new CodedError('HOST_UNAVAILABLE')), ANSWER_MS).unref();
      });
      link.send(request);
      return answered.finally(() => waiting.delete(id));
    });
  } finally {
    link.close();
    if (isUnmanaged) await endSession(context, session);
  }
}

function oneLine(text: string): string {
  return visibleText(text).replace(/\s+/g, ' ').trim().slice(0, 80);
}
