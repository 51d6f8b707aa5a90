/**
 * One session of the real agent in a browser, for the files that test all of its flows: finds entries, presses buttons,
 * and checks that a stopped agent leaves no process.
 */
import { join } from 'node:path';
import type { LedgerRecord } from '@tugdeck/local/ledger';
import { MARK } from '@tugdeck/local/process-ending';
import type { TestPage } from '@tugdeck/testkit/browser';
import { pressAnswer } from '@tugdeck/testkit/press-answer';
import { findByEnvironment, waitFor } from '@tugdeck/testkit/process-facts';
import { text } from '@tugdeck/testkit/script';
import type { Locator, Page } from 'playwright-core';
import { type Deck, entries, lastRequest, newSession, rested, send } from './deck.ts';

export class ClaudeSession {
  readonly deck: Deck;
  readonly #opened: TestPage;
  static #answers = 0;

  constructor(deck: Deck, opened: TestPage) {
    this.deck = deck;
    this.#opened = opened;
  }

  static async begin(deck: Deck): Promise<ClaudeSession> {
    const session = new ClaudeSession(deck, await deck.page());
    await newSession(session.page);
    return session;
  }

  get page(): Page {
    return this.#opened.page;
  }

  get box(): Locator {
    return this.page.getByRole('textbox', { name: 'Message' });
  }

  get permission(): Locator {
    return this.page.getByRole('group', { name: /^Permission: / });
  }

  inProject(name: string): string {
    return join(this.deck.sandbox.project, name);
  }

  answerWith(expected: string): Locator {
    return entries(this.page, 'text', 'complete').filter({ hasText: expected });
  }

  async send(prompt: string): Promise<void> {
    await send(this.page, prompt);
  }

  async rested(): Promise<void> {
    await rested(this.page);
  }

  async stop(): Promise<void> {
    await this.page.getByRole('button', { name: 'Stop', exact: true }).click();
  }

  async allow(): Promise<void> {
    await pressAnswer(
      this.permission
        .first()
        .getByRole('button', { name: /^Allow/ })
        .first(),
    );
  }

  /** Sends a message and waits for a unique answer, because a long conversation isn't drawn as a whole. */
  async goesOn(): Promise<void> {
    const number = ++ClaudeSession.#answers;
    this.deck.fake.script(`on${number}`, [text(`Answer number ${number}.`)]);
    await this.send(`SCN:on${number}`);
    await this.answerWith(`Answer number ${number}.`).waitFor();
    await this.rested();
  }

  /** The last request to the model. */
  get lastRequest(): string {
    return lastRequest(this.deck.fake);
  }

  /** The records of the session on screen: its host, which knows the mark of its agents, and its agent. */
  record(purpose: 'host' | 'agent'): LedgerRecord | undefined {
    const session = /session\/([\w-]+)/.exec(this.page.url())?.[1];
    return this.deck.records(purpose).find((record) => record.session === session);
  }

  /** Stops the agent and checks that none of its commands, servers and subagents is running. */
  async leavesNothing(): Promise<void> {
    await waitFor(() => this.record('host')?.mark !== undefined, { what: 'the host of the session' });
    const mark = this.record('host')?.mark;
    // The agent of a new session may still be starting; wait until it can be stopped.
    await this.page
      .getByRole('img', { name: /^Agent: connected/ })
      .first()
      .waitFor();
    await this.page.getByRole('button', { name: 'Session actions' }).click();
    await this.page.getByRole('menuitem', { name: 'Stop agent' }).click();
    await waitFor(() => findByEnvironment(`${MARK}=${mark}\0`).length === 0, {
      what: 'the end of everything that the agent had started',
    });
  }

  async close(): Promise<void> {
    await this.leavesNothing();
    this.#opened.assertNoProblems();
    await this.#opened.close();
  }
}
