/**
 * Unsent text per session (C9, D5): saved in the browser at once, on the server shortly after. A draft the server
 * does not have yet wins over the server's; otherwise the server's is used.
 */
import type { Clock } from './clock.ts';

/** The part of `localStorage` that is used. */
export type DraftStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem' | 'key' | 'length'>;

export interface DraftsOptions {
  readonly storage: DraftStorage | undefined;
  readonly clock: Clock;
  /** Resolves when the server has it; rejects when the connection is lost first. */
  readonly save: (session: string, text: string) => Promise<void>;
  readonly fault: (why: string) => void;
}

interface Draft {
  readonly text: string;
  readonly saved: boolean;
}

const PREFIX = 'tugdeck.draft.';
const SAVE_MS = 400;
/** The wire's limit; longer text stays in the browser only. */
const MAX_SAVED = 256 * 1024;

export class Drafts {
  readonly #options: DraftsOptions;
  readonly #drafts = new Map<string, Draft>();
  readonly #timers = new Map<string, () => void>();
  /** The save in progress per session. */
  readonly #saving = new Map<string, symbol>();
  #online = false;

  constructor(options: DraftsOptions) {
    this.#options = options;
    this.#restore();
  }

  get(session: string): string {
    return this.#drafts.get(session)?.text ?? '';
  }

  set(session: string, text: string): void {
    if (this.get(session) === text) return;
    this.#store(session, { text, saved: false });
    this.#timers.get(session)?.();
    this.#timers.set(
      session,
      this.#options.clock.after(SAVE_MS, () => this.#save(session)),
    );
  }

  online(serverDrafts: Readonly<Record<string, string>>): void {
    this.#online = true;
    for (const [session, text] of Object.entries(serverDrafts)) {
      if (this.#drafts.get(session)?.saved !== false) this.#store(session, { text, saved: true });
    }
    for (const [session, draft] of [...this.#drafts]) {
      if (!draft.saved) this.#save(session);
      else if (serverDrafts[session] === undefined) this.#store(session, { text: '', saved: true });
    }
  }

  /** Signed out: removes drafts the server has from this browser. The open page still shows them. */
  removeSaved(): void {
    const { storage, fault } = this.#options;
    try {
      for (const [session, { saved }] of this.#drafts) {
        if (saved) storage?.removeItem(PREFIX + session);
      }
    } catch (error) {
      fault(`draft storage: ${String(error)}`);
    }
  }

  lost(): void {
    this.#online = false;
    this.#saving.clear();
  }

  dispose(): void {
    for (const cancel of this.#timers.values()) cancel();
    this.#timers.clear();
    this.#online = false;
  }

  #save(session: string): void {
    this.#timers.get(session)?.();
    this.#timers.delete(session);
    const draft = this.#drafts.get(session);
    // One save at a time per session, so that an older text never arrives after a newer one.
    if (!this.#online || !draft || draft.saved || this.#saving.has(session)) return;
    if (draft.text.length > MAX_SAVED) return;
    const attempt = Symbol(session);
    this.#saving.set(session, attempt);
    // A reply after a lost connection is ignored: the next welcome saves again.
    const isOver = () => this.#saving.get(session) !== attempt;
    this.#options.save(session, draft.text).then(
      () => {
        if (isOver()) return;
        this.#saving.delete(session);
        if (this.#drafts.get(session) === draft) this.#store(session, { ...draft, saved: true });
        else this.#save(session);
      },
      (error: unknown) => {
        if (isOver()) return;
        this.#saving.delete(session);
        this.#options.fault(`draft: ${String(error)}`);
      },
    );
  }

  #store(session: string, draft: Draft): void {
    const { storage, fault } = this.#options;
    const gone = draft.saved && draft.text === '';
    if (gone) this.#drafts.delete(session);
    else this.#drafts.set(session, draft);
    try {
      if (gone) storage?.removeItem(PREFIX + session);
      else storage?.setItem(PREFIX + session, JSON.stringify(draft));
    } catch (error) {
      fault(`draft storage: ${String(error)}`);
    }
  }

  #restore(): void {
    const { storage, fault } = this.#options;
    if (!storage) return;
    try {
      for (let index = 0; index < storage.length; index++) {
        const key = storage.key(index);
        if (!key?.startsWith(PREFIX)) continue;
        const draft: unknown = JSON.parse(storage.getItem(key) ?? 'null');
        if (isDraft(draft)) this.#drafts.set(key.slice(PREFIX.length), draft);
      }
    } catch (error) {
      fault(`draft storage: ${String(error)}`);
    }
  }
}

function isDraft(value: unknown): value is Draft {
  if (typeof value !== 'object' || value === null) return false;
  return (
    'text' in value && typeof value.text === 'string' && 'saved' in value && typeof value.saved === 'boolean'
  );
}
