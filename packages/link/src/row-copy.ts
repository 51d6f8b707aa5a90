/**
 * The rows of another machine (N12), as it pushed them, and on disk for when it is offline (N13). A machine may name
 * only its own ids (N21): rows with an id that is already in use here, or of a project that is not its own, are left
 * out. Conversations are never copied.
 */
import { mkdir, readFile, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Log } from '@tugdeck/local/log';
import { writePrivate } from '@tugdeck/local/private-file';
import type { DeckPush } from '@tugdeck/machine/port';
import { type DeckHead, deckSchema, type SessionRow } from '@tugdeck/protocol/wire/deck';
import { z } from 'zod';

export interface RowCopyOptions {
  /** The name in local configuration, which the rows carry. */
  readonly machine: string;
  readonly file: string;
  readonly isTaken: (id: string) => boolean;
  readonly changed: (change: RowChange) => void;
  readonly log: Log;
}

export type RowChange =
  | { readonly type: 'head' }
  | { readonly type: 'rows'; readonly ids: readonly string[] };

const MAX_ROWS = 20_000;
const MAX_PROJECTS = 1_000;
const SAVE_MS = 5_000;
const MAX_FILE = 32 * 1024 * 1024;

const fileSchema = z.object({ seenAt: z.number(), deck: deckSchema });
const EMPTY: DeckHead = { projects: [], agents: [], defaultAgent: '' };

export class RowCopy {
  readonly #options: RowCopyOptions;
  #head: DeckHead = EMPTY;
  #rows = new Map<string, SessionRow>();
  #ids = new Set<string>();
  /** Sessions and workspaces that a page created there, before their rows arrive. */
  readonly #created = new Set<string>();
  /** Ids listed so far by the list that is arriving. */
  #listed: Set<string> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #seenAt: number | undefined;
  #saving: Promise<void> = Promise.resolve();
  #isForgotten = false;

  constructor(options: RowCopyOptions) {
    this.#options = options;
  }

  get head(): DeckHead {
    return this.#head;
  }

  /** Whether it is the id of a project, workspace or session of this machine. */
  owns(id: string): boolean {
    return this.#ids.has(id) || this.#rows.has(id) || this.#created.has(id);
  }

  row(id: string): SessionRow | undefined {
    return this.#rows.get(id);
  }

  all(): Iterable<SessionRow> {
    return this.#rows.values();
  }

  created(id: string): void {
    if (this.#created.size < MAX_ROWS) this.#created.add(id);
  }

  apply(push: DeckPush): void {
    this.#seenAt = Date.now();
    switch (push.type) {
      case 'whole': {
        const { sessions, more = false, ...head } = push.deck;
        this.#setHead(head);
        this.#listed = new Set();
        this.#put(sessions, [], more);
        break;
      }
      case 'deck':
        this.#setHead(push.deck);
        break;
      case 'rows':
        if (push.more !== undefined) this.#listed ??= new Set();
        this.#put(push.rows, push.gone ?? [], push.more);
        break;
      case 'session':
        this.#put([push.row], [], undefined);
        break;
      case 'show':
        // A machine can request nothing from the deck (N22).
        return;
    }
    this.#timer ??= setTimeout(() => this.#save(), SAVE_MS);
    this.#timer.unref();
  }

  offline(at: number): void {
    this.#seenAt = at;
    this.#listed = undefined;
    this.#save();
  }

  /** Shows the rows of an earlier link until the machine is reached. Returns when that was. */
  async load(): Promise<number | undefined> {
    let text: string;
    try {
      text = await readFile(this.#options.file, 'utf8');
    } catch {
      return undefined; // Never reached so far.
    }
    const stored = parseStored(text);
    if (!stored) return undefined;
    const { sessions, more: _, ...head } = stored.deck;
    this.#setHead(head);
    this.#put(sessions, [], undefined);
    this.#seenAt = stored.seenAt;
    return stored.seenAt;
  }

  /** Resolves once the rows are on disk. */
  async close(): Promise<void> {
    if (this.#timer !== undefined) this.#save();
    await this.#saving;
  }

  /** The machine was removed: its rows are deleted from disk too. */
  async forget(): Promise<void> {
    this.#isForgotten = true;
    await this.#saving;
    await rm(this.#options.file, { force: true });
  }

  #setHead(head: DeckHead): void {
    const { machine } = this.#options;
    const projects = head.projects
      .filter(({ id }) => this.#mayUse(id))
      .slice(0, MAX_PROJECTS)
      .map((project) => ({ ...project, machine }));
    const own = new Set(projects.map(({ id }) => id));
    const workspaces = head.workspaces?.filter((one) => own.has(one.project) && this.#mayUse(one.id));
    const attempts = head.attempts?.filter((one) => own.has(one.project));
    this.#head = {
      ...head,
      projects,
      ...(workspaces ? { workspaces } : {}),
      ...(attempts ? { attempts } : {}),
    };
    this.#ids = new Set([...own, ...(workspaces ?? []).map(({ id }) => id)]);
    const gone = [...this.#rows.values()].filter(({ project }) => !own.has(project)).map(({ id }) => id);
    for (const id of gone) this.#rows.delete(id);
    this.#options.changed({ type: 'head' });
    if (gone.length > 0) this.#options.changed({ type: 'rows', ids: gone });
  }

  #put(rows: readonly SessionRow[], gone: readonly string[], more: boolean | undefined): void {
    const { machine } = this.#options;
    const changed = new Set<string>();
    for (const id of gone) if (this.#rows.delete(id)) changed.add(id);
    for (const row of rows) {
      const isKnown = this.#rows.has(row.id);
      if (!this.#ids.has(row.project) || !this.#mayUse(row.id)) continue;
      if (!isKnown && this.#rows.size >= MAX_ROWS) continue;
      this.#rows.set(row.id, { ...row, machine });
      this.#created.delete(row.id);
      this.#listed?.add(row.id);
      changed.add(row.id);
    }
    if (more === false && this.#listed) {
      const listed = this.#listed;
      this.#listed = undefined;
      for (const id of this.#rows.keys()) {
        if (listed.has(id)) continue;
        this.#rows.delete(id);
        changed.add(id);
      }
    }
    if (changed.size > 0) this.#options.changed({ type: 'rows', ids: [...changed] });
  }

  #mayUse(id: string): boolean {
    return this.owns(id) || !this.#options.isTaken(id);
  }

  #save(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const { file, log } = this.#options;
    const deck = { ...this.#head, sessions: [...this.#rows.values()] };
    const text = JSON.stringify({ seenAt: this.#seenAt ?? 0, deck });
    if (text.length > MAX_FILE || this.#isForgotten) return;
    this.#saving = this.#saving
      .then(() => mkdir(dirname(file), { recursive: true, mode: 0o700 }))
      .then(() => writePrivate(file, text))
      .catch((error: unknown) => log.warn('rows of a machine not saved', { file, error }));
  }
}

function parseStored(text: string): z.infer<typeof fileSchema> | undefined {
  try {
    return fileSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined; // Damaged: filled again by the machine.
  }
}
