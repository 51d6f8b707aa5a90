/** The agent's own events in words, for the thin lines in the flow (C15). */
import { numberAt, recordOf, type SystemLine, textAt } from './wire.ts';

export interface SystemNotice {
  readonly text: string;
  /** A shorter form, beside the turn's state. */
  readonly note?: string;
}

export function systemNotice(line: SystemLine): SystemNotice {
  switch (line.subtype) {
    case 'api_retry':
      return retry(line);
    case 'compact_boundary': {
      const facts = recordOf(line.compact_metadata);
      const [before, after] = [numberAt(facts, 'pre_tokens'), numberAt(facts, 'post_tokens')];
      const sizes = before === undefined || after === undefined ? '' : ` (${before} → ${after} tokens)`;
      return { text: `The conversation was summed up to save context${sizes}.` };
    }
    case 'model_fallback':
      return {
        text:
          textAt(line, 'content') ??
          `${textAt(line, 'original_model')} is overloaded: going on with ${textAt(line, 'fallback_model')}.`,
      };
    case 'model_refusal_no_fallback':
      return { text: textAt(line, 'content') ?? 'The model refused to answer.' };
    default:
      return { text: textAt(line, 'content') ?? line.subtype.replace(/_/g, ' ') };
  }
}

const CAUSES: Readonly<Record<string, string>> = {
  rate_limit: 'too many requests',
  overloaded: 'the service is overloaded',
  server_error: 'the service has trouble',
  authentication_failed: 'not signed in, or the key is wrong',
};

function retry(line: SystemLine): SystemNotice {
  const error = textAt(line, 'error') ?? 'unknown';
  const status = numberAt(line, 'error_status');
  const cause = CAUSES[error] ?? (status === undefined ? 'the connection failed' : error.replace(/_/g, ' '));
  const seconds = Math.max(1, Math.round((numberAt(line, 'retry_delay_ms') ?? 0) / 1000));
  const attempt = `attempt ${numberAt(line, 'attempt') ?? 1} of ${numberAt(line, 'max_retries') ?? '?'}`;
  const code = status === undefined ? '' : ` (${status})`;
  return {
    text: `No answer: ${cause}${code}. Trying again in ${seconds} s, ${attempt}.`,
    note: `${cause}${code}, ${attempt}`,
  };
}
