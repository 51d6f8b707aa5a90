/**
 * The first prompt of a session whose workspace is being created (B3). It is on disk from the moment it is accepted
 * until the session's host has it, so that neither a closed page nor a killed server loses it. The page sends the same
 * command; its id makes sure that it takes effect once.
 */
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { readBoundedText } from '@tugdeck/local/bounded-file';
import { type DataDirectory, makePrivate } from '@tugdeck/local/data-directory';
import { defer } from '@tugdeck/local/defer';
import type { Log } from '@tugdeck/local/log';
import { writePrivate } from '@tugdeck/local/private-file';
import { firstPromptSchema } from '@tugdeck/protocol/conversation/commands';
import { CodedError, reportOf } from '@tugdeck/protocol/wire/errors';
import type { z } from 'zod';
import { connectHost, type HostAddress } from '../hosts/host-connection.ts';

export type FirstPrompt = z.infer<typeof firstPromptSchema>;

export interface FirstPromptsOptions {
  readonly data: Pick<DataDirectory, 'run' | 'session'>;
  readonly hosts: { ensure(session: string): Promise<HostAddress> };
  readonly connectMs: number;
  readonly changed: (session: string, isPending: boolean) => void;
  /** The prompt could not be delivered; its text must not be lost. */
  readonly failed: (session: string, text: string) => void;
  readonly log: Pick<Log, 'warn'>;
}

const MAX_BYTES = 4 * 1024 * 1024;

export class FirstPrompts {
  readonly #options: FirstPromptsOptions;
  readonly #folder: string;
  #isClosed = false;

  constructor(options: FirstPromptsOptions) {
    this.#options = options;
    this.#folder = join(options.data.run, 'first-prompts');
  }

  /** Keeps the prompt and delivers it once the session's host can start. */
  hold(session: string, command: FirstPrompt): void {
    // Throws for an id that is not a path segment.
    this.#options.data.session(session);
    makePrivate(this.#folder);
    writePrivate(this.#file(session), JSON.stringify(command));
    void this.#deliver(session, command);
  }

  /** Whether a prompt of this session has not been delivered yet. */
  isHeld(session: string): boolean {
    return existsSync(this.#file(session));
  }

  /** Delivers prompts that an earlier server accepted. */
  resume(): void {
    for (const name of this.#names()) {
      const session = name.slice(0, -'.json'.length);
      const command = this.#read(session);
      if (command) void this.#deliver(session, command);
      else this.#remove(session);
    }
  }

  /** The next server delivers those that are left. */
  close(): void {
    this.#isClosed = true;
  }

  async #deliver(session: string, command: FirstPrompt): Promise<void> {
    this.#options.changed(session, true);
    try {
      const address = await this.#options.hosts.ensure(session);
      if (this.#isClosed) return;
      await this.#send(address, command);
      this.#remove(session);
    } catch (error) {
      if (this.#isClosed) return;
      this.#options.log.warn('first prompt not delivered', { session, ...reportOf(error) });
      this.#giveBack(session, command.text);
    }
  }

  #giveBack(session: string, text: string): void {
    try {
      this.#options.failed(session, text);
      this.#remove(session);
    } catch (error) {
      // A full disk: the next server tries again.
      this.#options.log.warn('first prompt kept', { session, error });
    }
  }

  /** Resolves with the host's receipt: the prompt is in its journal, or was there already. */
  async #send(address: HostAddress, command: FirstPrompt): Promise<void> {
    const answer = defer();
    const link = await connectHost(
      address,
      {
        received: (batch) => {
          const mine = batch.find((one) => 'command' in one && one.command === command.id);
          if (mine?.type === 'receipt') answer.resolve();
          else if (mine?.type === 'error') answer.reject(new CodedError(mine.code, mine.message));
        },
        unreadable: () => undefined,
        closed: () => answer.reject(new CodedError('HOST_UNAVAILABLE')),
      },
      this.#options.connectMs,
    );
    link.send({ type: 'command', command });
    await answer.promise.finally(() => link.close());
  }

  #file(session: string): string {
    return join(this.#folder, `${session}.json`);
  }

  #names(): string[] {
    try {
      return readdirSync(this.#folder).filter((name) => name.endsWith('.json'));
    } catch {
      return []; // No prompt was ever stored.
    }
  }

  #read(session: string): FirstPrompt | undefined {
    try {
      const text = readBoundedText(this.#file(session), { maxBytes: MAX_BYTES });
      return text === undefined ? undefined : firstPromptSchema.safeParse(JSON.parse(text)).data;
    } catch {
      return undefined;
    }
  }

  #remove(session: string): void {
    rmSync(this.#file(session), { force: true });
    this.#options.changed(session, false);
  }
}
