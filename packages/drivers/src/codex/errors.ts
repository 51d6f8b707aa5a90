/** User-facing texts and advice for the agent's errors. Pure. */
import type { TurnEnd } from '@tugdeck/protocol/conversation/session-info';
import { numberAt, recordOf, textAt } from '../kit/fields.ts';
import { ownProperty } from '../kit/own-property.ts';

const ADVICE: Readonly<Record<string, string>> = {
  contextWindowExceeded: 'Sum up the conversation with /compact, or begin a new session.',
  sessionBudgetExceeded: 'The budget of this session is used up. Begin a new session, or raise the budget.',
  usageLimitExceeded: 'Wait until the limit is reset, or choose another account or provider.',
  rateLimitExceeded: 'Wait a moment, then send it again.',
  serverOverloaded: 'Choose another model, or send it again later.',
  flexUnavailable: 'Send it again later, or choose another service tier.',
  modelNotFound: 'Choose another model.',
  policyCapacityUnavailable: 'Send it again later.',
  tooManyDenials: 'Too much was refused. Say what it may do, then send it again.',
  internalServerError: 'It is at the provider. Send it again later.',
  unauthorized: 'Sign in again: `codex login` in a terminal, or /login here.',
  sandboxError: 'The sandbox of this machine failed. /status tells more.',
};

const BY_STATUS: Readonly<Record<number, string>> = {
  401: 'The key or the sign-in is not accepted. Sign in again: `codex login` in a terminal, or /login here.',
  403: 'The provider refuses this account or this place. Look at the account, or choose another provider.',
  404: 'The address of the provider or the model is wrong. Look at the configuration.',
  429: 'Wait a moment, then send it again.',
};

const LIMITS = new Set(['contextWindowExceeded', 'sessionBudgetExceeded', 'usageLimitExceeded']);

/** A string, or an object with one key that contains an HTTP status. */
function kindOf(info: unknown): { name: string; status: number | undefined } {
  if (typeof info === 'string') return { name: info, status: undefined };
  const [name = '', inside] = Object.entries(recordOf(info))[0] ?? [];
  return { name, status: numberAt(inside, 'httpStatusCode') };
}

export function adviceFor(error: unknown): string | undefined {
  const { name, status } = kindOf(recordOf(error).codexErrorInfo);
  const known = ownProperty(ADVICE, name) ?? (status === undefined ? undefined : BY_STATUS[status]);
  if (known !== undefined) return known;
  const missing = /Missing environment variable: `?(\w+)/.exec(textAt(error, 'message') ?? '')?.[1];
  return missing === undefined
    ? undefined
    : `Set ${missing} where Tugdeck is started, then restart the agent.`;
}

export function messageOf(error: unknown): string {
  return textAt(error, 'message') || 'The turn failed.';
}

export function endOf(status: unknown, error: unknown): TurnEnd {
  if (status === 'interrupted') return 'cancelled';
  if (status !== 'failed') return 'completed';
  return LIMITS.has(kindOf(recordOf(error).codexErrorInfo).name) ? 'limit' : 'error';
}
