/** How a turn ended, from the result of its prompt. Pure functions. */
import type { TurnEnd } from '@tugdeck/protocol/conversation/session-info';
import { recordOf, textAt } from '../kit/fields.ts';
import { ERROR, type RpcError } from '../kit/rpc.ts';

export interface TurnOutcome {
  readonly endedBy: TurnEnd;
  readonly why?: string;
  readonly notice?: {
    readonly level: 'info' | 'warning' | 'error';
    readonly text: string;
    readonly detail?: string | undefined;
  };
}

const LIMITS: Readonly<Record<string, string>> = {
  max_tokens: 'Stopped: the answer reached the limit of its length.',
  max_turn_requests: 'Stopped: the limit of steps for one turn was reached.',
};

export interface OutcomeContext {
  /** We requested the cancellation. */
  readonly cancelling: boolean;
  /** The user denied a request in this turn. */
  readonly refused: boolean;
  /** The agent's last text. */
  readonly lastText: string;
  /** The last text, dropped because it only repeated the error. */
  readonly retracted?: string | undefined;
}

/** Advice for a failed prompt, by the error kind that some agents report. */
const ADVICE: Readonly<Record<string, string>> = {
  rate_limit: 'Wait a while, then send the message again.',
  overloaded: 'The service is overloaded. Send the message again later.',
  server_error: 'The service has trouble. Send the message again later.',
};

export function turnOutcome(
  result: unknown,
  error: RpcError | undefined,
  { cancelling, refused, lastText, retracted }: OutcomeContext,
): TurnOutcome {
  if (error) {
    // Some agents fail a canceled prompt.
    if (cancelling) return { endedBy: 'cancelled' };
    const why = errorText(error);
    const detail = ADVICE[textAt(error.data, 'errorKind') ?? ''];
    if (retracted !== undefined) {
      return { endedBy: 'error', why, notice: { level: 'error', text: retracted, detail } };
    }
    const isShown = lastText !== '' && (lastText.includes(why) || why.includes(lastText.trim()));
    return { endedBy: 'error', why, ...(isShown ? {} : { notice: { level: 'error', text: why } }) };
  }
  const reason = textAt(result, 'stopReason') ?? 'end_turn';
  const limit = LIMITS[reason];
  if (limit !== undefined) return { endedBy: 'limit', why: limit, notice: { level: 'warning', text: limit } };
  if (reason === 'refusal') {
    return { endedBy: 'refused', notice: { level: 'warning', text: 'The agent refused to go on.' } };
  }
  if (reason !== 'cancelled') return { endedBy: 'completed' };
  if (cancelling || !refused) return { endedBy: 'cancelled' };
  const text = 'The agent stopped its turn: it does so when a request is refused.';
  return { endedBy: 'cancelled', notice: { level: 'info', text } };
}

export const STOP_REASONS: ReadonlySet<string> = new Set([
  'end_turn',
  'cancelled',
  'refusal',
  ...Object.keys(LIMITS),
]);

/** The user-facing text of an error. Some agents put JSON into the message, some put the reason into the data. */
export function errorText({ code, message, data }: RpcError): string {
  if (code === ERROR.authRequired) return `Sign in first: ${message || 'the agent asks for it'}.`;
  const text = textAt(data, 'details') ?? textAt(data, 'message') ?? message;
  return innerMessage(text) ?? (text || `Error ${code}`);
}

function innerMessage(message: string): string | undefined {
  if (!message.trimStart().startsWith('{')) return undefined;
  try {
    const value: unknown = JSON.parse(message);
    return textAt(recordOf(value).error, 'message') ?? textAt(value, 'message');
  } catch {
    return undefined; // Not JSON, so it is the message itself.
  }
}
