/** A terminal user: types a word, waits for its echo, and opens another terminal when this one is gone. */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@tugdeck/client/client';
import { terminals } from '@tugdeck/protocol/areas/terminals';
import { waitFor } from '@tugdeck/testkit/process-facts';

/** The first project of this machine, or of another one by its name. */
export function projectOn(client: Client, name?: string): Promise<string> {
  return waitFor(
    () => {
      const { projects = [], machines = [] } = client.deck.get() ?? {};
      const isOther = (id: string | undefined) => machines.some((machine) => machine.id === id);
      return projects.find(({ machine }) => (name === undefined ? !isOther(machine) : machine === name))?.id;
    },
    { what: `the project of ${name ?? 'this machine'}` },
  );
}

const PATIENCE_MS = 15_000;
const ENCODER = new TextEncoder();
/** This many unusable terminals in a row are a failure. */
const MAX_FAILURES = 60;

export class TerminalUser {
  /** Words echoed. */
  echoes = 0;
  opened = 0;
  readonly #client: Client;
  readonly #machine: string | undefined;
  #isDone = false;

  /** `machine`: the name of another one. */
  constructor(client: Client, machine?: string) {
    this.#client = client;
    this.#machine = machine;
  }

  stop(): void {
    this.#isDone = true;
  }

  async work(): Promise<void> {
    const project = await projectOn(this.#client, this.#machine);
    let failures = 0;
    let why: unknown;
    while (!this.#isDone) {
      const before = this.echoes;
      await this.#use(project).catch((error: unknown) => {
        why = error;
      });
      failures = this.echoes > before ? 0 : failures + 1;
      if (failures > MAX_FAILURES) throw new Error(`no terminal can be used: ${String(why)}`);
      await delay(100);
    }
  }

  /** Until the terminal is gone or the user stops. */
  async #use(project: string): Promise<void> {
    const terminal = randomUUID();
    const list = this.#client.openArea(terminals, { project });
    const area = this.#client.openArea(terminals, { project, terminal });
    let output = '';
    let isGone = false;
    area.onBytes((data) => {
      output = (output + Buffer.from(data).toString('latin1')).slice(-20_000);
    });
    area.onEvent(({ type }) => {
      isGone ||= type === 'gone';
    });
    // A channel that was lost and opened again is not attached.
    area.view.subscribe(() => {
      isGone ||= area.view.get().isLost || area.view.get().opened > 1;
    });
    try {
      const size = { cols: 80, rows: 24 };
      await within(list.call('create', { terminal, runs: { type: 'shell' }, size }));
      this.opened += 1;
      await within(area.call('attach'));
      while (!this.#isDone && !isGone) {
        const word = randomUUID();
        // Split, so that the typed line doesn't match as the printed line.
        area.sendBytes(ENCODER.encode(`echo ${word.slice(0, 8)}''${word.slice(8)}\r`));
        await waitFor(() => isGone || output.includes(word), {
          what: 'the terminal to answer',
          timeoutMs: PATIENCE_MS,
        });
        if (output.includes(word)) this.echoes += 1;
        await delay(300);
      }
      await within(list.call('close', { terminal }));
    } finally {
      list.close();
      area.close();
    }
  }
}

async function within<T>(promise: Promise<T>): Promise<T> {
  const timer = delay(PATIENCE_MS, undefined, { ref: false }).then(() => {
    throw new Error('nobody answered');
  });
  return Promise.race([promise, timer]);
}
