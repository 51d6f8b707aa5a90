/**
 * Tracks our control requests and their results. A response to an unknown request echoes one of our answers and is
 * ignored.
 */
import type { Emitter } from '../kit/emitter.ts';
import { textAt } from '../kit/fields.ts';
import type { InfoTracker } from './info-tracker.ts';
import { optionIn } from './options.ts';
import type { UsageCount } from './usage.ts';
import type { ControlResponse } from './wire.ts';

export class Controls {
  readonly #out: Emitter;
  readonly #info: InfoTracker;
  readonly #usage: UsageCount;
  readonly #sent = new Map<string, Readonly<Record<string, unknown>>>();

  constructor(out: Emitter, facts: InfoTracker, usage: UsageCount) {
    this.#out = out;
    this.#info = facts;
    this.#usage = usage;
  }

  sent(id: string, request: Readonly<Record<string, unknown>>): void {
    this.#sent.set(id, request);
  }

  answered({ response }: ControlResponse): void {
    const request = this.#sent.get(response.request_id);
    if (!request) return;
    this.#sent.delete(response.request_id);
    const failed = response.subtype === 'error' ? (response.error ?? 'refused') : undefined;
    switch (request.subtype) {
      case 'initialize':
        if (failed === undefined) this.#info.initialized(response.response);
        else this.#out.notice('error', 'warning', `The agent did not say what it offers: ${failed}`);
        return;
      case 'set_permission_mode':
        this.#settle('mode', failed, textAt(response.response, 'mode') ?? textAt(request, 'mode'));
        return;
      case 'set_model':
        this.#settle('model', failed, textAt(request, 'model') ?? textAt(response.response, 'model'));
        return;
      case 'apply_flag_settings': {
        const setting = optionIn(request.settings);
        if (setting) this.#settle(setting.option, failed, setting.value);
        return;
      }
      case 'get_settings':
        if (failed === undefined) this.#info.settings(response.response);
        return;
      case 'get_context_usage':
        if (failed === undefined) this.#usage.context(response.response);
        return;
      case 'mcp_status':
        if (failed === undefined) this.#info.servers(response.response);
        return;
    }
  }

  #settle(option: string, failed: string | undefined, value: string | undefined): void {
    if (failed !== undefined) {
      this.#out.put({ kind: 'config.refused', option, why: failed });
      const notice = option === 'mode' || option === 'model' ? option : 'info';
      this.#out.notice(notice, 'warning', `The ${option} was not changed: ${failed}`);
    } else if (value !== undefined) this.#info.configured(option, value);
  }
}
