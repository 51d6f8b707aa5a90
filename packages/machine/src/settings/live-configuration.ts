/**
 * `config.json` while the server runs (W6): changes from the page are written to the file, and edits of the file
 * apply at once. An invalid file changes nothing and is reported. Command-line options override the file (L3).
 */
import { type FSWatcher, watch } from 'node:fs';
import { basename, dirname } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { readOwnFile } from '@tugdeck/local/ownership';
import { writePrivate } from '@tugdeck/local/private-file';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import { type Configuration, parseConfiguration } from '../configuration.ts';

export interface FileState {
  readonly text: string;
  readonly values: Configuration | undefined;
  readonly problem: string | undefined;
}

const SETTLE_MS = 50;

export class LiveConfiguration {
  readonly file: string;
  readonly #overrides: Partial<Configuration>;
  readonly #listeners = new Set<() => void>();
  readonly #fault: (error: unknown) => void;
  #state: FileState;
  #current: Configuration;
  #watcher: FSWatcher | undefined;
  #timer: NodeJS.Timeout | undefined;

  /** `started`: the configuration at startup, the file merged with overrides. */
  constructor(file: string, started: Configuration, fault: (error: unknown) => void) {
    this.file = file;
    this.#fault = fault;
    this.#state = readState(file);
    const inFile: Record<string, unknown> = { ...this.#state.values };
    this.#overrides = Object.fromEntries(
      Object.entries(started).filter(([name, value]) => !isDeepStrictEqual(inFile[name], value)),
    );
    this.#current = started;
  }

  get current(): Configuration {
    return this.#current;
  }

  get state(): FileState {
    return this.#state;
  }

  get overrides(): string[] {
    return Object.keys(this.#overrides);
  }

  /** Starts watching. Watches the folder, because editors replace files. */
  watch(): void {
    this.#watcher = watch(dirname(this.file), { persistent: false }, (_event, name) => {
      if (name !== null && name !== basename(this.file)) return;
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#reread(), SETTLE_MS);
      this.#timer.unref();
    });
    this.#watcher.on('error', this.#fault);
  }

  subscribe(listener: () => void): () => void {
    const own = () => listener();
    this.#listeners.add(own);
    return () => {
      this.#listeners.delete(own);
    };
  }

  write(text: string, was: string): void {
    if (readState(this.file).text !== was) throw new CodedError('CONFIGURATION_CHANGED');
    parseConfiguration(this.file, text);
    writePrivate(this.file, text);
    this.#reread();
  }

  /** Sets one value in the file and keeps the others; null removes it. */
  set(path: readonly string[], value: unknown): void {
    const { text } = readState(this.file);
    const root = text.trim() === '' ? {} : (parseConfiguration(this.file, text) as Record<string, unknown>);
    const changed = withValue(structuredClone(root), path, value);
    this.write(`${JSON.stringify(changed, null, 2)}\n`, text);
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#watcher?.close();
    this.#listeners.clear();
  }

  #reread(): void {
    const next = readState(this.file);
    if (next.text === this.#state.text && next.problem === this.#state.problem) return;
    this.#state = next;
    if (next.values) this.#current = { ...next.values, ...this.#overrides };
    for (const listener of [...this.#listeners]) listener();
  }
}

function readState(file: string): FileState {
  let text = '';
  try {
    const read = readOwnFile(file);
    if (read === undefined) return { text, values: {}, problem: undefined };
    text = read;
  } catch (error) {
    return {
      text,
      values: undefined,
      problem: error instanceof CodedError ? error.message : String(error),
    };
  }
  try {
    return { text, values: parseConfiguration(file, text), problem: undefined };
  } catch (error) {
    return { text, values: undefined, problem: (error as Error).message };
  }
}

const FORBIDDEN: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

function withValue(
  root: Record<string, unknown>,
  [name = '', ...rest]: readonly string[],
  value: unknown,
): Record<string, unknown> {
  if (FORBIDDEN.has(name)) throw new CodedError('INVALID_MESSAGE', `Unknown setting: ${name}.`);
  if (rest.length > 0) {
    const inner = root[name];
    const isObject = typeof inner === 'object' && inner !== null && !Array.isArray(inner);
    root[name] = withValue(isObject ? (inner as Record<string, unknown>) : {}, rest, value);
  } else if (value === null || value === undefined) delete root[name];
  else root[name] = value;
  return root;
}
