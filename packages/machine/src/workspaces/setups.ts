/** Setups whose workspace is waiting for them (B17). A setup runs in a terminal and outlives the server. */
import { type Deferred, defer } from '@tugdeck/local/defer';
import type { Log } from '@tugdeck/local/log';
import { reportOf } from '@tugdeck/protocol/wire/errors';
import type { StoredWorkspace, WorkspaceTable } from '@tugdeck/store/workspace-table';
import { type SetupResult, setupFault } from './create.ts';
import { save } from './operation.ts';

export interface SetupsOptions {
  readonly table: WorkspaceTable;
  readonly changed: (workspace: string) => void;
  readonly run: (row: StoredWorkspace, command: string, again: boolean) => Promise<number | undefined>;
  /** Rejects when the server closes. */
  readonly closed: () => Promise<never>;
  readonly log: Pick<Log, 'debug'>;
}

export class Setups {
  readonly #options: SetupsOptions;
  readonly #waiting = new Map<string, Deferred>();

  constructor(options: SetupsOptions) {
    this.#options = options;
  }

  isRunning(id: string): boolean {
    return this.#waiting.has(id);
  }

  async wait(row: StoredWorkspace, command: string, again = false): Promise<SetupResult> {
    const { run, closed } = this.#options;
    const skipped = defer();
    this.#waiting.set(row.id, skipped);
    try {
      return await Promise.race([
        run(row, command, again).then((code) => ({ code })),
        skipped.promise.then(() => 'skipped' as const),
        closed(),
      ]);
    } finally {
      if (this.#waiting.get(row.id) === skipped) this.#waiting.delete(row.id);
    }
  }

  /** Stops waiting for the setup, which continues in its terminal. */
  skip(id: string): void {
    this.#waiting.get(id)?.resolve();
  }

  /** Runs the setup of a workspace once more, in the background. */
  runAgain(row: StoredWorkspace, command: string): void {
    const { table, changed, log } = this.#options;
    save(table, row, { fault: undefined });
    this.wait(row, command, true)
      .then((result) => {
        const now = table.get(row.id);
        if (now?.state === 'ready' && !now.op) save(table, now, { fault: setupFault(result) });
      })
      // The server closes, or the workspace is gone.
      .catch((error: unknown) => log.debug('workspace setup', { workspace: row.id, ...reportOf(error) }))
      .finally(() => changed(row.id));
    changed(row.id);
  }
}
