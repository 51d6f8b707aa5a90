/**
 * Notices besides items: warnings, model reviews, hooks, goals. At most one notice each, and the same text only once,
 * because some repeat every turn. Pure.
 */
import type { Notice } from '@tugdeck/protocol/conversation/entries';
import { type Fields, listOf, recordOf, textAt } from '../kit/fields.ts';
import type { Scope } from '../kit/scope.ts';

/** Shown at every start and not actionable here; project trust is reported by Tugdeck (X6). */
const SUPPRESSED =
  /bubblewrap|Full-history hydration is deprecated|^Project-local config, hooks, and exec policies are disabled/;

export class Notices {
  readonly #scope: Scope;
  readonly #shownWarnings: Set<string>;
  #goal: { objective: string; status: string } | undefined;

  constructor(scope: Scope, shownWarnings: Set<string>) {
    this.#scope = scope;
    this.#shownWarnings = shownWarnings;
  }

  /** Handles a notification; most add nothing. */
  take(method: string, params: Fields): void {
    switch (method) {
      case 'warning':
      case 'guardianWarning':
      case 'thread/realtime/error':
        this.#warn(textAt(params, 'message'));
        return;
      case 'configWarning':
      case 'deprecationNotice':
        this.#warn(textAt(params, 'summary'), textAt(params, 'details'), method === 'configWarning');
        return;
      case 'model/rerouted':
        this.#scope.notice(
          'model',
          'warning',
          `The provider uses ${textAt(params, 'toModel')} in the place of ${textAt(params, 'fromModel')}.`,
        );
        return;
      case 'modelProvider/authRecoveryStarted':
      case 'modelProvider/authRecoveryCompleted':
        this.#warn(textAt(params, 'message'), undefined, false);
        return;
      case 'autoApprovalReview/strictReviewRequired':
        this.#warn('Everything it does in this turn is reviewed first.');
        return;
      case 'item/autoApprovalReview/completed':
        this.#reviewed(params);
        return;
      case 'hook/completed':
        this.#hook(recordOf(params.run));
        return;
      case 'thread/goal/updated':
        this.#goalUpdated(recordOf(params.goal));
        return;
      case 'thread/goal/cleared':
        if (this.#goal && this.#goal.status !== 'complete') this.#info('The goal is given up.');
        this.#goal = undefined;
        return;
      case 'thread/reverted':
        this.#info('The conversation goes on from an earlier point. Files are as they are.');
        return;
      case 'thread/environment/disconnected':
        this.#warn('Its environment is disconnected.');
        return;
      case 'mcpServer/startupStatus/updated':
        if (params.status === 'failed')
          this.#warn(`The MCP server ${textAt(params, 'name')} did not start.`, textAt(params, 'error'));
        return;
    }
  }

  #reviewed({ review, action }: Fields): void {
    const status = textAt(review, 'status');
    // A denial is reported by a separate warning.
    if (status !== 'approved') return;
    const what = textAt(action, 'command') ?? textAt(action, 'type') ?? 'it';
    this.#info(`A reviewing model allowed: ${what}`, textAt(review, 'rationale'));
  }

  #hook(run: Fields): void {
    const output = listOf(run.entries)
      .map((entry) => textAt(entry, 'text') ?? '')
      .filter((text) => text !== '')
      .join('\n');
    const status = textAt(run, 'status') ?? '';
    const isGood = status === 'completed';
    if (isGood && output === '') return;
    const text = `Hook ${textAt(run, 'eventName') ?? ''} (${status}): ${textAt(run, 'sourcePath') ?? ''}`;
    this.#scope.notice(isGood ? 'info' : 'error', isGood ? 'info' : 'warning', text, output);
  }

  #goalUpdated(goal: Fields): void {
    const objective = textAt(goal, 'objective') ?? '';
    const status = textAt(goal, 'status') ?? '';
    if (this.#goal?.objective === objective && this.#goal.status === status) return;
    this.#goal = { objective, status };
    if (status === 'active') this.#info(`Goal: ${objective}`);
    else if (status === 'complete') this.#info(`The goal is reached: ${objective}`);
    else this.#info(`The goal rests (${status}): ${objective}`);
  }

  #info(text: string, detail?: string | undefined): void {
    this.#scope.notice('info', 'info', text, detail);
  }

  #warn(text: string | undefined, detail?: string | undefined, isWarning = true): void {
    if (!text || SUPPRESSED.test(text) || this.#shownWarnings.has(text)) return;
    this.#shownWarnings.add(text);
    const notice: Notice = isWarning ? 'error' : 'info';
    this.#scope.notice(notice, isWarning ? 'warning' : 'info', text, detail);
  }
}
