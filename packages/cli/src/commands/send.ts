/**
 * `tugdeck send` (L6): sends one message to a session. With `--wait` it prints the answer, and the exit code tells
 * how the turn ended: 3 refused, 4 failed, 5 needs an answer from the user.
 */
import { randomUUID } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import { isRequest, type RequestEntry } from '@tugdeck/protocol/conversation/entries';
import { entriesFrom } from '@tugdeck/protocol/conversation/entry-store';
import type { Turn } from '@tugdeck/protocol/conversation/session-info';
import { entryById, pendingRequests } from '@tugdeck/protocol/conversation/state';
import { entryText } from '@tugdeck/protocol/export/entry-text';
import { wholeText } from '@tugdeck/protocol/stdio/entry-messages';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import type { Receipt } from '@tugdeck/protocol/wire/host-link';
import { UsageError } from '../command-line.ts';
import { afterRestore } from '../sessions/after-restore.ts';
import { FollowedSession } from '../sessions/followed-session.ts';
import { endSession, type SessionTarget, updateSessionRow } from '../sessions/open-session.ts';
import { findSession, listSessions, newestIn } from '../sessions/session-list.ts';
import { readState } from '../sessions/transcript.ts';
import type { Command, Context } from './context.ts';
import { createWorkspace } from './workspaces.ts';

const EXIT = { done: 0, refused: 3, failed: 4, waiting: 5 } as const;

type Outcome =
  | { readonly state: 'sent'; readonly ahead?: number | undefined }
  | { readonly state: 'refused'; readonly code: string; readonly message: string }
  | { readonly state: 'done' | 'failed'; readonly turn?: Turn; readonly why?: string | undefined }
  | { readonly state: 'waiting'; readonly requests: readonly RequestEntry[] };

export const send: Command = async (context) => {
  const { line, from } = context;
  if (line.flags.has('new') && line.values.session !== undefined) {
    throw new UsageError("--new and --session can't be used together");
  }
  const { workspace } = line.values;
  if (workspace !== undefined && line.values.session !== undefined) {
    throw new UsageError("--workspace and --session can't be used together");
  }
  const text = await message(context);
  const target = await targetSession(context, resolve(from, line.values.dir ?? '.'), text);
  const state = readState(context, target.session);
  for (const note of state ? afterRestore(state, target.session) : []) context.note(note);
  const prompt = randomUUID();
  const waits = line.flags.has('wait');
  const { session, outcome } = await sendAndWait(context, target, prompt, text, waits);
  await session.close();
  const code = report(context, session, prompt, outcome);
  const isOver = outcome.state === 'done' || outcome.state === 'failed' || outcome.state === 'refused';
  // The host was started only for this message: end it, unless it still works or needs an answer.
  if (session.isUnmanaged && isOver) await endSession(context, target.session);
  await updateSessionRow(context, target.session);
  return code;
};

async function message({ line }: Context): Promise<string> {
  const typed = line.arguments.join(' ');
  const isOnStdin = line.arguments.length === 0 || typed === '-';
  if (isOnStdin && process.stdin.isTTY) throw new UsageError('send needs a TEXT, as an argument or on stdin');
  const text = isOnStdin ? await readAll(process.stdin) : typed;
  // Checked before anything is started.
  if (text.trim() === '') throw new UsageError('nothing to send: give a TEXT, as an argument or on stdin');
  return text;
}

async function targetSession(context: Context, directory: string, text: string): Promise<SessionTarget> {
  const { line } = context;
  const named = line.values.session;
  if (named !== undefined) return { session: (await findSession(context, named)).id };
  const { workspace = 'none' } = line.values;
  if (workspace !== 'none') {
    const id = workspace === 'new' ? (await createWorkspace(context, text.slice(0, 200))).id : workspace;
    return { session: randomUUID(), directory, workspace: id };
  }
  if (!line.flags.has('new')) {
    const last = newestIn(await listSessions(context), realPath(directory));
    if (last) return { session: last.id };
  }
  return { session: randomUUID(), directory };
}

function realPath(directory: string): string {
  try {
    return realpathSync(directory);
  } catch (error) {
    throw new CodedError('PROJECT_PATH_INVALID', (error as Error).message);
  }
}

async function sendAndWait(
  context: Context,
  target: SessionTarget,
  prompt: string,
  text: string,
  waits: boolean,
): Promise<{ session: FollowedSession; outcome: Outcome }> {
  let settle: (outcome: Outcome) => void = () => undefined;
  let fail: (error: unknown) => void = () => undefined;
  const settled = new Promise<Outcome>((resolve, reject) => {
    settle = resolve;
    fail = reject;
  });
  const receipt = ({ command, refusal, message: why }: Receipt) => {
    if (command !== prompt) return;
    if (refusal) settle({ state: 'refused', code: refusal, message: why ?? refusal });
    else {
      const { slot } = session;
      if (slot) context.note(`queued (${slot.ahead === 0 ? 'next' : `${slot.ahead ?? '?'} ahead`})`);
      if (!waits) settle({ state: 'sent', ...(slot ? { ahead: slot.ahead } : {}) });
    }
  };
  const session: FollowedSession = new FollowedSession(context, target, 'appends', {
    messages: () => undefined,
    receipt,
    changed: () => {
      const outcome = waits ? outcomeOf(session, prompt) : undefined;
      if (outcome) settle(outcome);
    },
    failed: fail,
  });
  session.command({ kind: 'prompt.send', id: prompt, text }).catch(fail);
  return { session, outcome: await settled };
}

/** Decided by the conversation, not by time: the prompt's turn ended, or needs an answer. */
function outcomeOf({ projection }: FollowedSession, prompt: string): Outcome | undefined {
  const { conversation: state } = projection;
  const turn = state.turns.findLast(({ prompts }) => prompts.includes(prompt));
  if (turn?.endedBy !== undefined) return { state: turn.endedBy === 'completed' ? 'done' : 'failed', turn };
  const entry = entryById(state, prompt);
  if (entry?.kind === 'user' && ['failed', 'doubted', 'dropped'].includes(entry.delivery)) {
    return { state: 'failed', why: entry.why };
  }
  const requests = pendingRequests(state);
  const isAccepted = entry !== undefined || state.queue.some(({ id }) => id === prompt);
  return isAccepted && requests.length > 0 ? { state: 'waiting', requests } : undefined;
}

function report(context: Context, session: FollowedSession, prompt: string, outcome: Outcome): number {
  const id = session.projection.session;
  const answer = answerText(session, 'turn' in outcome ? outcome.turn : undefined);
  if (context.line.flags.has('json')) {
    context.print(JSON.stringify({ session: id, prompt, ...jsonOutcome(outcome), answer }));
    return exitCode(outcome);
  }
  switch (outcome.state) {
    case 'sent':
      context.print(id);
      break;
    case 'refused':
      context.note(`tugdeck: ${outcome.message} (${outcome.code})`);
      break;
    case 'waiting':
      context.note(`Session ${id} needs your answer:`);
      for (const request of outcome.requests) {
        const { heading, body } = entryText(request, (text) => (typeof text === 'string' ? text : text.head));
        context.note(`  ${heading}: ${body.split('\n').join('\n    ')}`);
      }
      break;
    case 'done':
    case 'failed':
      if (answer !== undefined) context.print(answer);
      if (outcome.state === 'failed') {
        const reason = outcome.why ?? outcome.turn?.why;
        const why = reason === undefined ? '' : `: ${reason}`;
        context.note(`tugdeck: the turn failed (${outcome.turn?.endedBy ?? 'not delivered'})${why}`);
      }
  }
  return exitCode(outcome);
}

function exitCode({ state }: Outcome): number {
  return state === 'sent' ? EXIT.done : EXIT[state];
}

function jsonOutcome(outcome: Outcome): object {
  switch (outcome.state) {
    case 'waiting':
      return {
        state: 'waiting',
        requests: outcome.requests.map(({ id, kind, request }) => ({ id, kind, request })),
      };
    case 'done':
    case 'failed':
      return {
        state: outcome.state,
        turn: outcome.turn?.id,
        endedBy: outcome.turn?.endedBy,
        why: outcome.why ?? outcome.turn?.why,
      };
    default:
      return outcome;
  }
}

/** The agent's last message of the turn. */
function answerText({ projection }: FollowedSession, turn: Turn | undefined): string | undefined {
  if (!turn) return undefined;
  let answer: string | undefined;
  for (const entry of entriesFrom(projection.conversation.entries, turn.firstSeq)) {
    if (entry.turn !== turn.id || entry.parent !== undefined || isRequest(entry)) continue;
    if (entry.kind === 'text' || entry.kind === 'command') answer = wholeText(entry, projection);
  }
  return answer;
}
