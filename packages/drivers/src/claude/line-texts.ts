/**
 * What certain lines mean for people: how a turn ended, API errors and what to do about them, output of slash
 * commands, interrupt markers. Pure functions of one line.
 */
import { findAgent } from '@tugdeck/agents/catalogue';
import type { TurnEnd } from '@tugdeck/protocol/conversation/session-facts';
import type { AssistantLine, ResultLine } from './wire.ts';

export interface TurnNotes {
  refused: boolean;
  interrupted: boolean;
  /** An entry already says what went wrong. */
  explained: boolean;
}

export interface TurnOutcome {
  readonly endedBy: TurnEnd;
  readonly why?: string;
  /** What to say where nothing has said it yet. */
  readonly notice?: string;
}

const LIMITS: Readonly<Record<string, string>> = {
  max_turns: 'Stopped: the limit of steps for one turn was reached.',
  budget_exhausted: 'Stopped: the budget of this session is used up.',
  error_max_turns: 'Stopped: the limit of steps for one turn was reached.',
  error_max_budget_usd: 'Stopped: the budget of this session is used up.',
  error_max_structured_output_retries: 'Stopped: the answer never took the form that was asked for.',
};

/** The subtype says "success" for API errors too: look at the reason, then at the flag. */
export function turnEnd(line: ResultLine, notes: TurnNotes): TurnOutcome {
  const reason = line.terminal_reason ?? '';
  if (reason.startsWith('aborted')) return { endedBy: 'cancelled' };
  const limit = LIMITS[reason] ?? LIMITS[line.subtype];
  if (limit !== undefined) return { endedBy: 'limit', why: limit, notice: limit };
  if (notes.refused) return { endedBy: 'refused' };
  if (!line.is_error) return { endedBy: 'completed' };
  if (notes.interrupted && line.subtype === 'error_during_execution') return { endedBy: 'cancelled' };
  const why = line.errors?.join('\n') || line.result || reason || line.subtype;
  return { endedBy: 'error', why, ...(notes.explained ? {} : { notice: why }) };
}

/** What to do about an API error, by its kind. */
export function apiError(line: AssistantLine): string | undefined {
  switch (line.error) {
    case 'authentication_failed':
      return `Sign in with \`${findAgent('claude')?.signIn}\`, or set a valid API key.`;
    case 'model_not_found':
      return 'Choose another model.';
    case 'rate_limit':
      return 'Wait a while, then send the message again.';
    case 'server_error':
      return 'The service has trouble. Send the message again later.';
    case 'invalid_request':
      return 'The request was refused. Where the conversation is too long, /compact helps.';
    default:
      return undefined;
  }
}

export function localCommand(line: AssistantLine, text: string): { name: string; text: string } {
  return { name: line.local_command_run?.command.replace(/^\//, '') ?? 'command', text };
}

const INTERRUPTED = /^\[Request interrupted by user( for tool use)?\]$/;

export function isInterruptMarker(text: string): boolean {
  return INTERRUPTED.test(text.trim());
}

export function interruptMarker(text: string): string {
  return text.includes('tool use') ? 'Interrupted while a tool was waiting or running.' : 'Interrupted.';
}
