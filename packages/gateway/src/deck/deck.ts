/**
 * The deck as pages see it: projects and session rows of the machine, and what belongs to the deck itself: layout,
 * keys, drafts and small preferences.
 */
import type { DataDirectory } from '@tugdeck/local/data-directory';
import type { Log } from '@tugdeck/local/log';
import type { Channel, DeckPush, Machine, MachineRequest } from '@tugdeck/machine/port';
import type { DeckRequest, KeysState } from '@tugdeck/protocol/wire/deck';
import type { Store } from '@tugdeck/store/store';
import { Choices } from './choices.ts';
import { KeysFile } from './keys-file.ts';

export interface DeckOptions {
  readonly machine: Pick<Machine, 'openDeck' | 'perform' | 'isStored'>;
  readonly store: Pick<Store, 'drafts' | 'layouts' | 'settings'>;
  readonly data: Pick<DataDirectory, 'keys'>;
  readonly log: Log;
  readonly now: () => number;
}

/** The only layout so far; the table can hold more. */
const LAYOUT = 'deck';

type OwnRequest = Extract<DeckRequest, { type: 'layout.save' | 'choice.save' | 'keys.save' | 'draft.save' }>;
/** Requests that concern all pages; the others concern one page. */
export type SharedRequest = MachineRequest | OwnRequest;

export class Deck {
  readonly #options: DeckOptions;
  readonly #choices: Choices;
  readonly #keys: KeysFile;
  readonly #keysListeners = new Set<(state: KeysState) => void>();

  constructor(options: DeckOptions) {
    this.#options = options;
    this.#choices = new Choices(options.store.settings);
    this.#keys = new KeysFile(options.data.keys, options.log, (state) => {
      for (const listener of this.#keysListeners) listener(state);
    });
  }

  /** Pushes the machine's projects and rows, and changes of the keys, to one page. */
  open(send: (push: DeckPush) => void, keysChanged: (state: KeysState) => void): Channel {
    const channel = this.#options.machine.openDeck(send);
    this.#keysListeners.add(keysChanged);
    return {
      opened: channel.opened,
      pause: () => channel.pause(),
      resume: () => channel.resume(),
      close: () => {
        this.#keysListeners.delete(keysChanged);
        channel.close();
      },
    };
  }

  drafts(): Record<string, string> {
    return this.#options.store.drafts.all();
  }

  layout(): string | undefined {
    return this.#options.store.layouts.get(LAYOUT);
  }

  choices(): Record<string, string> {
    return this.#choices.all();
  }

  keys(): KeysState {
    return this.#keys.state;
  }

  async perform(request: SharedRequest): Promise<void> {
    const { machine, store, now } = this.#options;
    switch (request.type) {
      case 'layout.save':
        return store.layouts.save(LAYOUT, request.version, request.layout, now());
      case 'choice.save':
        return this.#choices.save(request.name, request.value);
      case 'keys.save':
        return this.#keys.save(request.keys);
      case 'draft.save':
        // The browser keeps the draft of an external session; typing does not adopt it.
        if (await machine.isStored(request.session)) store.drafts.save(request.session, request.text, now());
        return;
      default:
        return machine.perform(request);
    }
  }

  close(): void {
    this.#keys.close();
    this.#keysListeners.clear();
  }
}
