/**
 * The meaning of certain lines: turn ends, API errors with advice, slash command output, interrupt markers. Pure
 * functions of one line.
 */
import type { TurnEnd } from '@tugdeck/protocol/conversation/session-info';
import { numberAt, recordOf } from '../kit/fields.ts';
import { untrustedMinute } from '../kit/untrusted-text.ts';
import { resets } from './events.ts';
import { signInAdvice } from './system-notices.ts';
import type { AssistantLine, ResultLine } from './wire.ts';

export interface TurnNotes {
  refused: boolean;
  interrupted: boolean;
  /** An entry already explains the failure. */
  explained: boolean;
  /** The turn produced any output. */
  hasOutput: boolean;
  /** An interrupt stopped a compaction; one that came too late does not count. */
  compactionStopped: boolean;
}

export const NO_NOTES: TurnNotes = {
  refused: false,
  interrupted: false,
  explained: false,
  hasOutput: false,
  compactionStopped: false,
};

export interface TurnOutcome {
  readonly endedBy: TurnEnd;
  readonly why?: string;
  /** Shown if nothing else explains it. */
  readonly notice?: string;
}

const LIMITS: Readonly<Record<string, string>> = {
  max_turns: 'Stopped: the limit of steps for one turn was reached.',
  budget_exhausted: 'Stopped: the budget of this session is used up.',
  error_max_turns: 'Stopped: the limit of steps for one turn was reached.',
  error_max_budget_usd: 'Stopped: the budget of this session is used up.',
  error_max_structured_output_retries: 'Stopped: the answer never took the form that was asked for.',
  structured_output_retry_exhausted: 'Stopped: the answer never took the form that was asked for.',
  blocking_limit: 'Stopped: the conversation is too long for the model. Use /compact to sum it up.',
  rapid_refill_breaker: 'Stopped: the conversation is full again right after it was summed up.',
};

/** Reasons that are not failures but need a notice. */
const STOPPED: Readonly<Record<string, string>> = {
  hook_stopped: 'A hook stopped the turn.',
  stop_hook_prevented: 'A hook stopped the turn.',
};

/** Failures, even if the line is not marked as one. */
const FAILED: ReadonlySet<string> = new Set([
  'api_error',
  'prompt_too_long',
  'image_error',
  'model_error',
  'malformed_tool_use_exhausted',
  'tool_deferred_unavailable',
  'turn_setup_failed',
]);

/** The subtype is "success" even for API errors, so the reason comes first, then the flag. */
export function turnEnd(line: ResultLine, notes: TurnNotes): TurnOutcome {
  const reason = line.terminal_reason ?? '';
  if (reason.startsWith('aborted')) return { endedBy: 'cancelled' };
  const limit = LIMITS[reason] ?? LIMITS[line.subtype];
  if (limit !== undefined) return { endedBy: 'limit', why: limit, notice: limit };
  if (notes.refused) return { endedBy: 'refused' };
  if (!line.is_error && !FAILED.has(reason)) {
    // A stopped slash command has no reason.
    if (notes.compactionStopped && reason === '') return { endedBy: 'cancelled' };
    const notice = STOPPED[reason];
    return { endedBy: 'completed', ...(notice === undefined ? {} : { notice }) };
  }
  if (notes.interrupted && line.subtype === 'error_during_execution') return { endedBy: 'cancelled' };
  const why = line.errors?.join('\n') || line.result || reason || line.subtype;
  return { endedBy: 'error', why, ...(notes.explained ? {} : { notice: why }) };
}

/** Advice for an API error, by kind. */
export function apiError(line: AssistantLine, retryMs?: number): string | undefined {
  switch (line.error) {
    case 'authentication_failed':
    case 'cloud_credential_error':
      return signInAdvice();
    case 'oauth_org_not_allowed':
      return 'Your organization isn’t allowed to use this. Sign in with another account.';
    case 'account_on_hold':
    case 'verification_required':
    case 'billing_error':
      return 'Check your account with the provider, then send the message again.';
    case 'model_not_found':
      return 'Choose another model.';
    case 'rate_limit':
      return limitAdvice(line, retryMs);
    case 'overloaded':
    case 'server_error':
      return 'The service is having problems. Send the message again later.';
    case 'max_output_tokens':
      return 'The answer was cut off. Ask the agent to continue in smaller steps.';
    case 'invalid_request':
      return isTooLong(line)
        ? 'The conversation is too long for the model. Use /compact to shorten it, or /clear to start over.'
        : 'The service rejected the request. Change the message, or start over with /clear.';
    default:
      return line.api_error_status == null
        ? 'Send the message again.'
        : 'The service rejected the request. Change the message, or choose another model.';
  }
}

function isTooLong(line: AssistantLine): boolean {
  return /too long|context (window|limit)/i.test(JSON.stringify(line.message.content));
}

/** Shorter waits are the agent's own backoff, not requested by the service. */
const MIN_REQUESTED_WAIT_MS = 10_000;

function limitAdvice(line: AssistantLine, retryMs = 0): string {
  const { api_error, api_error_params } = recordOf(line);
  if (api_error !== 'usage_limit_reached') {
    const at = retryMs < MIN_REQUESTED_WAIT_MS ? Number.NaN : Date.parse(line.timestamp ?? '') + retryMs;
    const when = untrustedMinute(at);
    return when === undefined
      ? 'Wait a while, then send the message again.'
      : `The service accepts requests again at ${when}. Send the message again then.`;
  }
  const until = resets(numberAt(recordOf(api_error_params).rate_limit_info, 'resetsAt'));
  return `You’ve reached the limit of your plan${until}. Wait, or choose another model or account.`;
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
