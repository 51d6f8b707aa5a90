/**
 * `keys.json`: the user's key bindings (D4). The file is watched, because people edit it; an invalid file changes
 * nothing but is reported. Written atomically.
 */
import { type FSWatcher, watch } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { Log } from '@tugdeck/local/log';
import { readOwnFile } from '@tugdeck/local/ownership';
import { writePrivate } from '@tugdeck/local/private-file';
import type { KeysState } from '@tugdeck/protocol/wire/deck';
import { type KeyChoices, keyChoicesSchema } from '@tugdeck/protocol/wire/key-choices';

/** Editors write in several steps. */
const SETTLE_MS = 50;
const MAX_LENGTH = 64 * 1024;

export class KeysFile {
  readonly #file: string;
  readonly #log: Log;
  readonly #changed: (state: KeysState) => void;
  #state: KeysState = { keys: {} };
  #watcher: FSWatcher | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(file: string, log: Log, changed: (state: KeysState) => void) {
    this.#file = file;
    this.#log = log;
    this.#changed = changed;
    this.#state = this.#read();
    // Watch the directory: a file that is missing or gets replaced cannot be watched.
    this.#watcher = watch(dirname(file), (_, name) => {
      if (name !== null && name !== basename(file)) return;
      this.#timer ??= setTimeout(() => this.#reload(), SETTLE_MS);
    });
    this.#watcher.on('error', (error) => log.warn('keys.json is not watched', { error }));
    this.#watcher.unref();
  }

  get state(): KeysState {
    return this.#state;
  }

  save(keys: KeyChoices): void {
    writePrivate(this.#file, `${JSON.stringify(keys, null, 2)}\n`);
    this.#set({ keys });
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#watcher?.close();
  }

  #reload(): void {
    this.#timer = undefined;
    this.#set(this.#read());
  }

  #set(state: KeysState): void {
    if (JSON.stringify(state) === JSON.stringify(this.#state)) return;
    this.#state = state;
    this.#changed(state);
  }

  #read(): KeysState {
    try {
      const text = readOwnFile(this.#file);
      if (text === undefined) return { keys: {} };
      if (text.length > MAX_LENGTH) return this.#invalid('It is larger than 64 KB.');
      const read = keyChoicesSchema.safeParse(JSON.parse(text));
      if (read.success) return { keys: read.data };
      return this.#invalid('It must map command names to keys, for example "palette.open": "Mod+K".');
    } catch (error) {
      return this.#invalid(error instanceof Error ? error.message : String(error));
    }
  }

  #invalid(why: string): KeysState {
    this.#log.warn('invalid keys.json', { why });
    return { keys: this.#state.keys, fault: `Can't read keys.json. ${why}` };
  }
}
