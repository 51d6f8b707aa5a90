/** Texts of the agent's events for notices (C15). Pure functions of one line. */
import { findAgent } from '@tugdeck/agents/catalog';
import { listOf, numberAt, recordOf, textAt } from '../kit/fields.ts';
import type { SystemLine } from './wire.ts';

export interface SystemNotice {
  readonly text: string;
  /** A shorter form, for the turn's status. */
  readonly note?: string | undefined;
  /** Advice, or the full output. */
  readonly detail?: string | undefined;
}

/** The exit code by which a hook blocks. */
export const BLOCKED = 2;

export function systemNotice(line: SystemLine): SystemNotice {
  switch (line.subtype) {
    case 'api_retry':
      return retry(line);
    case 'compact_boundary': {
      const facts = recordOf(line.compact_metadata);
      const [before, after] = [numberAt(facts, 'pre_tokens'), numberAt(facts, 'post_tokens')];
      const sizes = before === undefined || after === undefined ? '' : ` (${before} → ${after} tokens)`;
      const by = textAt(facts, 'trigger') === 'auto' ? ' by itself' : '';
      return { text: `The conversation was summed up${by} to save context${sizes}.` };
    }
    case 'model_fallback':
    case 'model_refusal_fallback': {
      const [from, to] = [textAt(line, 'original_model'), textAt(line, 'fallback_model')];
      const why = line.subtype === 'model_fallback' ? 'is overloaded' : 'refused to answer';
      return { text: textAt(line, 'content') ?? `${from} ${why}: going on with ${to}.` };
    }
    case 'model_refusal_no_fallback':
      return {
        text: textAt(line, 'content') ?? 'The model refused to answer.',
        detail: 'Put the request in other words, or choose another model.',
      };
    case 'hook_response': {
      const name = textAt(line, 'hook_name') ?? textAt(line, 'hook_event') ?? 'hook';
      const outcome = textAt(line, 'outcome');
      const code = numberAt(line, 'exit_code');
      const ended =
        outcome === 'cancelled'
          ? 'was cancelled'
          : code === BLOCKED
            ? 'blocked this'
            : `failed${code === undefined ? '' : ` (exit code ${code})`}`;
      const output = (textAt(line, 'output') || textAt(line, 'stderr') || '').trim();
      return {
        text: `Hook ${name} ${outcome === 'success' ? 'ran' : ended}.`,
        detail: output === '' ? undefined : output,
      };
    }
    case 'notification':
      return { text: textAt(line, 'text') ?? textAt(line, 'message') ?? textAt(line, 'content') ?? '' };
    case 'local_command_output':
      return { text: unwrapped(textAt(line, 'content') ?? '') };
    case 'memory_recall': {
      const memories = listOf(line.memories);
      const paths = memories.flatMap((memory) => textAt(memory, 'path') ?? []);
      const bodies = memories.flatMap((memory) => textAt(memory, 'content') ?? []).join('\n\n');
      return paths.length === 0
        ? { text: '' }
        : { text: `Recalled from memory: ${paths.join(', ')}`, detail: bodies === '' ? undefined : bodies };
    }
    case 'files_persisted': {
      const failed = listOf(line.failed);
      const names = failed.map((file) => `${textAt(file, 'filename')}: ${textAt(file, 'error')}`);
      return failed.length === 0 ? { text: '' } : { text: `Files were not kept: ${names.join(', ')}` };
    }
    case 'plugin_install': {
      const error = textAt(line, 'error');
      const name = textAt(line, 'name') ?? textAt(line, 'plugin') ?? 'A plugin';
      return { text: error === undefined ? '' : `${name} could not be installed: ${error}` };
    }
    case 'mirror_error':
      return { text: `The agent could not copy its session: ${textAt(line, 'error') ?? 'no reason given'}` };
    case 'session_writes_lost': {
      const why = textAt(line, 'error_code') === 'EDQUOT' ? 'the disk quota is used up' : 'the disk is full';
      return {
        text: `The agent could not write everything down: ${why}.`,
        detail:
          'Tugdeck keeps the conversation, but the agent may miss part of it when it resumes. Free some disk space.',
      };
    }
    case 'agents_killed':
      return { text: 'Its background agents were stopped.' };
    case 'memory_saved': {
      const paths = listOf(line.written_paths).map(String);
      return { text: paths.length === 0 ? '' : `Saved to memory: ${paths.join(', ')}` };
    }
    case 'file_attachments_missing': {
      const missing = listOf(line.missing).length;
      return { text: missing === 0 ? '' : `${missing} attached files did not reach the agent.` };
    }
    case 'instruction_size_warning': {
      const [size, max] = [numberAt(line, 'total_chars'), numberAt(line, 'total_limit_chars')];
      const sizes = size === undefined || max === undefined ? '' : ` (${size} of ${max} characters)`;
      return { text: `The instruction files are longer than is good for the agent${sizes}.` };
    }
    case 'model_consent_fallback': {
      const to = textAt(line, 'fallback_model') ?? textAt(line, 'to_model');
      return { text: textAt(line, 'content') ?? `Going on with ${to ?? 'another model'}.` };
    }
    case 'worker_shutting_down':
      return { text: `The agent goes: ${(textAt(line, 'reason') ?? 'no reason given').replace(/_/g, ' ')}` };
    default:
      return { text: (textAt(line, 'content') ?? '').trim() };
  }
}

/** Without the tags around local command output. */
export function unwrapped(text: string): string {
  return text.replace(/<\/?local-command-(stdout|stderr)>/g, '').trim();
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
    // Waiting will hardly help, so the first attempt already gives advice (A8).
    detail: error === 'authentication_failed' ? signInAdvice() : undefined,
  };
}

export function signInAdvice(): string {
  return `Stop, sign in with \`${findAgent('claude')?.signIn}\` or set a valid API key, and send the message again.`;
}
