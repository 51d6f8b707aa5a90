/**
 * Decides a command: state + command → changes, or a refusal from a closed set. Pure. The host runs it for real, the
 * page runs it to predict. An accepted command yields at least one change, which carries the command's id as its
 * receipt.
 */
import type { ChangeBody } from './changes.ts';
import type { Answer, Command, CommandOf } from './commands.ts';
import { restoreEnd, restoreTo, restoreUndo } from './decide-restore.ts';
import { type Entry, isRequest, type RequestEntry } from './entries.ts';
import { openRestore } from './restore-state.ts';
import { isSendable } from './sendable.ts';
import type { Choice } from './session-info.ts';
import { type Conversation, entryById, promptUnderway } from './state.ts';

export const REFUSALS = {
  PROMPT_EMPTY: 'The message is empty.',
  PROMPT_NOT_QUEUED: 'This message is no longer in the queue.',
  PROMPT_NOT_DOUBTED: 'This message doesn’t need a decision.',
  TURN_NOT_RUNNING: 'Nothing is running.',
  REQUEST_NOT_OPEN: 'This request is no longer open.',
  REQUEST_CHANGED: 'This request changed since it was shown.',
  ANSWER_UNSUITABLE: 'This answer doesn’t fit the request.',
  OPTION_UNKNOWN: 'The agent doesn’t offer this choice.',
  CONFIRMATION_NEEDED: 'This mode lets the agent run anything without asking. Confirm to continue.',
  STEER_UNAVAILABLE: 'The agent doesn’t accept messages during a turn.',
  CONTROL_UNKNOWN: 'The agent doesn’t offer this.',
  ATTACHMENT_UNSUITABLE:
    'This file can’t be attached. Images (PNG, JPEG, GIF, WebP up to 5 MB), PDFs and text files can.',
  RESTORE_TURN_RUNNING: 'The agent is working. Stop it, then restore.',
  RESTORE_CHANGED: 'Files changed since the preview. Check the new one.',
  RESTORE_OPEN: 'A restore is unfinished. Finish it, undo it or leave it as it is.',
  RESTORE_NOTHING: 'Nothing to restore.',
  RESTORE_NO_TREE: 'The files at this message were not recorded, or are no longer kept.',
  RESTORE_QUEUE: 'Messages are queued. Send or remove them first.',
} as const;
export type RefusalCode = keyof typeof REFUSALS;

export type Decision =
  | { readonly changes: readonly ChangeBody[]; readonly refusal?: undefined }
  | { readonly refusal: RefusalCode; readonly changes?: undefined };

/** A repeated command is acknowledged again and changes nothing. */
export function isRepeated(state: Conversation, command: Command): boolean {
  return state.receipts.includes(command.id);
}

export function decide(state: Conversation, command: Command): Decision {
  switch (command.kind) {
    case 'prompt.send':
      return sendPrompt(state, command);
    case 'prompt.steer':
      return steerPrompt(state, command);
    case 'prompt.edit':
      if (!isQueued(state, command.prompt)) return refuse('PROMPT_NOT_QUEUED');
      if (command.text.trim() === '') return refuse('PROMPT_EMPTY');
      return accept({ kind: 'prompt.edited', prompt: command.prompt, text: command.text });
    case 'prompt.move':
      if (!isQueued(state, command.prompt)) return refuse('PROMPT_NOT_QUEUED');
      return accept({
        kind: 'prompt.moved',
        prompt: command.prompt,
        to: Math.min(command.to, state.queue.length - 1),
      });
    case 'prompt.withdraw':
      if (!isQueued(state, command.prompt)) return refuse('PROMPT_NOT_QUEUED');
      return accept({ kind: 'prompt.withdrawn', prompt: command.prompt });
    case 'prompt.resend': {
      const entry = undeliveredPrompt(state, command.prompt);
      if (!entry) return refuse('PROMPT_NOT_DOUBTED');
      // The entry is open again. Followers hold every open entry, so they all need the whole entry.
      return accept(
        { kind: 'entry.restated', entry },
        { kind: 'prompt.progressed', prompt: command.prompt, delivery: 'accepted' },
      );
    }
    case 'prompt.drop':
      if (!undeliveredPrompt(state, command.prompt)) return refuse('PROMPT_NOT_DOUBTED');
      return accept({ kind: 'prompt.progressed', prompt: command.prompt, delivery: 'dropped' });
    case 'turn.cancel':
      return state.turn ? accept({ kind: 'turn.cancelling' }) : refuse('TURN_NOT_RUNNING');
    case 'request.answer':
      return answerRequest(state, command);
    case 'session.configure':
      return configure(state, command);
    case 'agent.control': {
      const { id, what, hidden } = command;
      if (!state.facts.controls?.includes(what)) return refuse('CONTROL_UNKNOWN');
      const entry = { kind: 'command', id, status: 'partial', name: what, text: '' } as const;
      return accept({ kind: 'entry.opened', entry: hidden ? { ...entry, hidden } : entry });
    }
    case 'restore.to':
      return restoreTo(state, command);
    case 'restore.undo':
      return restoreUndo(state, command);
    case 'restore.finish':
    case 'restore.leave':
      return restoreEnd(state, command);
    case 'agent.restart':
      return accept({ kind: 'agent.requested', action: 'restart' });
    case 'agent.stop':
      return accept({ kind: 'agent.requested', action: 'stop' });
  }
}

function sendPrompt(state: Conversation, command: CommandOf<'prompt.send'>): Decision {
  const { id, text, attachments } = command;
  if (text.trim() === '' && !attachments?.length) return refuse('PROMPT_EMPTY');
  if (attachments?.some((attachment) => !isSendable(attachment))) return refuse('ATTACHMENT_UNSUITABLE');
  if (openRestore(state)) return refuse('RESTORE_OPEN');
  const prompt = attachments ? { id, text, attachments } : { id, text };
  if (command.steer && canSteer(state)) {
    return accept({ kind: 'prompt.accepted', prompt: { ...prompt, steer: true } });
  }
  const busy = state.turn !== null || state.queue.length > 0 || promptUnderway(state) !== undefined;
  return accept({ kind: busy ? 'prompt.queued' : 'prompt.accepted', prompt });
}

function steerPrompt(state: Conversation, command: CommandOf<'prompt.steer'>): Decision {
  const queued = state.queue.find(({ id }) => id === command.prompt);
  if (!queued) return refuse('PROMPT_NOT_QUEUED');
  if (!state.turn) return refuse('TURN_NOT_RUNNING');
  if (!canSteer(state)) return refuse('STEER_UNAVAILABLE');
  const { at: _at, ...prompt } = queued;
  return accept({ kind: 'prompt.accepted', prompt: { ...prompt, steer: true } });
}

/** One at a time: the outcome must be known before the next. */
function canSteer(state: Conversation): boolean {
  return state.turn !== null && state.facts.canSteer === true && promptUnderway(state) === undefined;
}

function configure(state: Conversation, command: CommandOf<'session.configure'>): Decision {
  const { option, value, confirmed } = command;
  const choices = choicesOf(state, option);
  const choice = choices?.find(({ id }) => id === value);
  if (choices && !choice) return refuse('OPTION_UNKNOWN');
  if (choice?.dangerous && !confirmed) return refuse('CONFIRMATION_NEEDED');
  return accept({ kind: 'config.requested', option, value });
}

/** The allowed values; undefined if the agent has not reported them yet. */
function choicesOf({ facts }: Conversation, option: string): readonly Choice[] | undefined {
  if (option === 'mode') return facts.modes;
  if (option === 'model') return facts.models;
  const known = facts.options?.find(({ id }) => id === option);
  if (known?.kind === 'boolean') return ON_OFF;
  return known?.choices ?? [];
}

const ON_OFF: readonly Choice[] = ['true', 'false'].map((id) => ({ id, label: id }));

function answerRequest(state: Conversation, command: CommandOf<'request.answer'>): Decision {
  const entry = entryById(state, command.entry);
  if (!entry || !isRequest(entry) || entry.request.status !== 'pending') return refuse('REQUEST_NOT_OPEN');
  if (entry.request.shown !== command.shown) return refuse('REQUEST_CHANGED');
  if (!matchesRequest(entry, command.answer)) return refuse('ANSWER_UNSUITABLE');
  return accept({
    kind: 'request.settled',
    entry: command.entry,
    status: 'answered',
    answer: command.answer,
    ...(command.by === undefined ? {} : { by: command.by }),
  });
}

function matchesRequest(entry: RequestEntry, answer: Answer): boolean {
  if (answer.type !== entry.kind) return false;
  if (answer.type !== 'permission' || entry.kind !== 'permission') return true;
  const { options, canEdit } = entry.request;
  if (answer.input !== undefined && !canEdit) return false;
  if (answer.option === undefined) return true;
  const option = options.find(({ id }) => id === answer.option);
  return option?.effect.startsWith(answer.behavior === 'allow' ? 'allow' : 'reject') ?? false;
}

function isQueued(state: Conversation, prompt: string): boolean {
  return state.queue.some(({ id }) => id === prompt);
}

/** A prompt whose delivery is unknown or failed: the user decides. */
function undeliveredPrompt(state: Conversation, prompt: string): Entry | undefined {
  const entry = entryById(state, prompt);
  if (entry?.kind !== 'user') return undefined;
  return entry.delivery === 'doubted' || entry.delivery === 'failed' ? entry : undefined;
}

function accept(...changes: ChangeBody[]): Decision {
  return { changes };
}

function refuse(refusal: RefusalCode): Decision {
  return { refusal };
}
