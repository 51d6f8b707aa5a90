/** Agent events besides the conversation: notices (C15), limits, suggestions, sign-in. */

import { findAgent } from '@tugdeck/agents/catalog';
import type { Limit } from '@tugdeck/protocol/conversation/session-info';
import type { Emitter } from '../kit/emitter.ts';
import { numberAt, recordOf, textAt } from '../kit/fields.ts';
import { untrustedMinute } from '../kit/untrusted-text.ts';
import type { InfoTracker } from './info-tracker.ts';
import { BLOCKED, systemNotice } from './system-notices.ts';
import type { SideEvent, SystemLine } from './wire.ts';

const LIMITS: Readonly<Record<string, string>> = {
  five_hour: '5-hour limit',
  seven_day: 'weekly limit',
  seven_day_opus: 'weekly limit of the largest model',
  seven_day_sonnet: 'weekly limit of the middle model',
  overage: 'extra usage',
};

const SHOWN_WITH_TOOL: ReadonlySet<string> = new Set(['PreToolUse', 'UserPromptSubmit']);

export class Events {
  readonly #out: Emitter;
  readonly #info: InfoTracker;
  readonly #limits = new Map<string, Limit>();

  constructor(out: Emitter, facts: InfoTracker) {
    this.#out = out;
    this.#info = facts;
  }

  /** A `system` line that only becomes a notice. */
  system(line: SystemLine): void {
    const { text, detail } = systemNotice(line);
    const put = (notice: Parameters<Emitter['notice']>[0], level: 'info' | 'warning' | 'error'): void =>
      this.#out.notice(notice, level, text, { id: line.uuid, detail });
    switch (line.subtype) {
      case 'model_fallback':
      case 'model_refusal_fallback':
      case 'model_consent_fallback':
        this.#info.modelChangeAnnounced();
        put('model', 'warning');
        return;
      case 'model_refusal_no_fallback':
        put('error', 'warning');
        return;
      case 'informational':
        this.#informational(line, text);
        return;
      case 'hook_response':
        this.#hook(line, text, detail);
        return;
      case 'local_command_output':
        if (text !== '') this.#out.open(commandEntry(line.uuid ?? this.#out.id('command'), 'command', text));
        return;
      case 'commands_changed':
        this.#info.commands(line.commands);
        return;
      case 'files_persisted':
      case 'plugin_install':
      case 'file_attachments_missing':
      case 'instruction_size_warning':
        if (text !== '') put('info', 'warning');
        return;
      case 'mirror_error':
      case 'session_writes_lost':
        put('error', 'warning');
        return;
      case 'notification':
      case 'memory_recall':
      case 'memory_saved':
      case 'agents_killed':
      case 'away_summary':
      case 'permission_retry':
      case 'scheduled_task_fire':
      case 'worker_shutting_down':
        if (text !== '') put('info', 'info');
        return;
    }
  }

  event(event: SideEvent): void {
    switch (event.type) {
      case 'prompt_suggestion':
        this.#info.suggestion(event.suggestion);
        return;
      case 'rate_limit_event':
        this.#limit(event);
        return;
      case 'auth_status':
        if (event.error !== undefined) {
          const detail = `Sign in with \`${findAgent('claude')?.signIn}\`.`;
          this.#out.notice('error', 'error', `Signing in failed: ${event.error}`, { id: event.uuid, detail });
        } else if (event.isAuthenticating && event.output.length > 0) {
          this.#out.notice('info', 'info', 'The agent signs in.', {
            id: event.uuid,
            detail: event.output.join('\n'),
          });
        }
        return;
      case 'tool_progress':
        return;
    }
  }

  #informational(line: SystemLine, text: string): void {
    const reported = textAt(line, 'level') ?? 'info';
    const level = reported === 'error' || reported === 'warning' ? reported : 'info';
    if (text !== '') {
      this.#out.notice(level === 'error' ? 'error' : 'info', level, text, { id: line.uuid });
    }
  }

  /** A successful hook without output is not shown. */
  #hook(line: SystemLine, text: string, detail: string | undefined): void {
    // The denied tool or prompt shows it.
    const isRefusal = numberAt(line, 'exit_code') === BLOCKED;
    if (isRefusal && SHOWN_WITH_TOOL.has(textAt(line, 'hook_event') ?? '')) return;
    const failed = textAt(line, 'outcome') !== 'success';
    if (failed || detail !== undefined) {
      this.#out.notice('info', failed ? 'warning' : 'info', text, { id: line.uuid, detail });
    }
  }

  #limit({ uuid, rate_limit_info: info }: Extract<SideEvent, { type: 'rate_limit_event' }>): void {
    const id = info.rateLimitType ?? 'limit';
    const label = LIMITS[id] ?? id.replace(/_/g, ' ');
    const state = info.status === 'rejected' ? 'reached' : info.status === 'allowed' ? 'open' : 'warning';
    const before = this.#limits.get(id)?.state;
    this.#limits.set(id, {
      id,
      label,
      state,
      ...(info.utilization == null ? {} : { used: info.utilization }),
      ...(info.resetsAt == null ? {} : { resetsAt: info.resetsAt * 1000 }),
    });
    this.#info.limits([...this.#limits.values()]);
    // The failed request reports a reached limit.
    if (state !== 'warning' || before === 'warning') return;
    const used = info.utilization == null ? 'Most' : `${Math.round(info.utilization * 100)} %`;
    this.#out.notice('info', 'warning', `${used} of the ${label} is used${resets(info.resetsAt)}.`, {
      id: uuid,
    });
  }
}

/** The reset time in a fixed format, without clock or time zone. */
export function resets(at: number | null | undefined): string {
  const when = at == null ? undefined : untrustedMinute(at * 1000);
  return when === undefined ? '' : `; it is free again at ${when}`;
}

export function commandEntry(
  id: string,
  name: string,
  text: string,
): { id: string; kind: 'command'; status: 'complete'; name: string; text: string } {
  return { id, kind: 'command', status: 'complete', name, text };
}

/** Progress of a running tool: "Running x · 3 tools · 12000 tokens". */
export function taskProgress(line: SystemLine): string {
  const usage = recordOf(line.usage);
  const [tools, tokens] = [numberAt(usage, 'tool_uses'), numberAt(usage, 'total_tokens')];
  return [
    textAt(line, 'summary') || textAt(line, 'description') || textAt(line, 'last_tool_name') || '',
    ...(tools ? [`${tools} ${tools === 1 ? 'tool' : 'tools'}`] : []),
    ...(tokens ? [`${tokens} tokens`] : []),
  ]
    .filter((part) => part !== '')
    .join(' · ');
}

/** A subagent that is waiting for a retry. */
export function retryProgress(retry: Readonly<Record<string, unknown>>): string {
  const [attempt, max] = [numberAt(retry, 'attempt'), numberAt(retry, 'max_retries')];
  const cause = textAt(retry, 'error_category')?.replace(/_/g, ' ') ?? 'the connection failed';
  return `No answer: ${cause}, attempt ${attempt ?? 1} of ${max ?? '?'}`;
}
