/** The ids that this machine uses, which no other machine may claim (N21). */
import type { Channel, DeckPush, Machine } from '@tugdeck/machine/port';

export class LocalIds {
  readonly #sessions = new Set<string>();
  #others: ReadonlySet<string> = new Set();
  readonly #channel: Channel;

  constructor(machine: Pick<Machine, 'openDeck'>) {
    this.#channel = machine.openDeck((push) => this.#apply(push));
  }

  has(id: string): boolean {
    return this.#others.has(id) || this.#sessions.has(id);
  }

  close(): void {
    this.#channel.close();
  }

  #apply(push: DeckPush): void {
    switch (push.type) {
      case 'whole':
      case 'deck': {
        const { projects, workspaces = [] } = push.deck;
        this.#others = new Set([...projects, ...workspaces].map(({ id }) => id));
        if (push.type === 'whole') for (const { id } of push.deck.sessions) this.#sessions.add(id);
        return;
      }
      case 'rows':
        for (const { id } of push.rows) this.#sessions.add(id);
        for (const id of push.gone ?? []) this.#sessions.delete(id);
        return;
      case 'session':
        this.#sessions.add(push.row.id);
        return;
      case 'show':
        return;
    }
  }
}
