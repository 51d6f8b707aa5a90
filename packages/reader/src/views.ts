/**
 * External sessions that pages currently show: one view per session, shared by its viewers. Sends appended changes,
 * and settles turns that no program is working on.
 */

import { CodedError, reportOf } from '@tugdeck/protocol/wire/errors';
import type { HostRequest } from '@tugdeck/protocol/wire/host-link';
import type { FileView } from './file-view.ts';

export interface ViewsOptions {
  /** Throws a coded error if the session does not exist. */
  readonly open: (session: string) => FileView;
  readonly isExternallyActive: (session: string) => boolean;
  readonly send: (view: number, lines: readonly string[]) => void;
}

interface SharedView {
  readonly session: string;
  readonly view: FileView;
  /** View numbers, and whether each follows. */
  readonly viewers: Map<number, boolean>;
  changedAt: number;
}

/** Wait before a turn is settled, because the agent may be thinking. */
const SETTLE_MS = 1_500;

export class Views {
  readonly #options: ViewsOptions;
  readonly #bySession = new Map<string, SharedView>();
  readonly #byNumber = new Map<number, SharedView>();
  readonly #timer: NodeJS.Timeout;

  constructor(options: ViewsOptions) {
    this.#options = options;
    this.#timer = setInterval(() => this.#settle(), SETTLE_MS / 2);
    this.#timer.unref();
  }

  open(number: number, session: string): void {
    this.close(number);
    try {
      const sharedView = this.#bySession.get(session) ?? this.#openView(session);
      sharedView.viewers.set(number, false);
      this.#byNumber.set(number, sharedView);
    } catch (error) {
      this.#fail(number, error);
    }
  }

  request(number: number, request: HostRequest): void {
    const sharedView = this.#byNumber.get(number);
    if (!sharedView) {
      this.#fail(number, new CodedError('SESSION_NOT_FOUND'));
      return;
    }
    try {
      // Appended lines first, so that the snapshot is current.
      if (request.type === 'follow') this.changed(sharedView.session);
      this.#options.send(number, sharedView.view.answer(request));
      if (request.type === 'follow') sharedView.viewers.set(number, true);
    } catch (error) {
      this.#fail(number, error);
    }
  }

  close(number: number): void {
    const sharedView = this.#byNumber.get(number);
    if (!sharedView) return;
    this.#byNumber.delete(number);
    sharedView.viewers.delete(number);
    if (sharedView.viewers.size === 0) this.#bySession.delete(sharedView.session);
  }

  /** The session's file changed. */
  changed(session: string): void {
    const sharedView = this.#bySession.get(session);
    if (!sharedView) return;
    try {
      this.#sendToFollowers(sharedView, sharedView.view.refresh());
    } catch (error) {
      for (const number of sharedView.viewers.keys()) this.#fail(number, error);
    }
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #openView(session: string): SharedView {
    const view = this.#options.open(session);
    if (view.isIdle || !this.#options.isExternallyActive(session)) view.settle();
    const sharedView: SharedView = { session, view, viewers: new Map(), changedAt: Date.now() };
    this.#bySession.set(session, sharedView);
    return sharedView;
  }

  #settle(): void {
    for (const sharedView of this.#bySession.values()) {
      const { view, session, changedAt } = sharedView;
      if (!view.state.turn || Date.now() - changedAt < SETTLE_MS) continue;
      if (view.isIdle || !this.#options.isExternallyActive(session))
        this.#sendToFollowers(sharedView, view.settle());
    }
  }

  #sendToFollowers(sharedView: SharedView, lines: readonly string[]): void {
    if (lines.length === 0) return;
    sharedView.changedAt = Date.now();
    for (const [number, follows] of sharedView.viewers) if (follows) this.#options.send(number, lines);
  }

  #fail(number: number, error: unknown): void {
    const isGone = (error as NodeJS.ErrnoException).code === 'ENOENT';
    const report = reportOf(isGone ? new CodedError('SESSION_NOT_FOUND') : error);
    this.#options.send(number, [JSON.stringify({ type: 'error', ...report })]);
  }
}
