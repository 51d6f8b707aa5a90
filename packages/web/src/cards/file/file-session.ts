/**
 * One open file: its text, the version on disk, saving and the draft (W2). Lives while a card shows it.
 * `protocol/files/document` decides how changes are merged; the editor only shows the text and reports edits.
 */
import type { AreaChannel } from '@tugdeck/client/areas';
import type { Client } from '@tugdeck/client/client';
import { files } from '@tugdeck/protocol/areas/files';
import {
  beginSave,
  type DiskText,
  edit,
  type FileDocument,
  isDirty,
  openDocument,
  overtaken,
  resolveConflict,
  saved,
  saveLost,
  saveRefused,
  updateFromDisk,
} from '@tugdeck/protocol/files/document';
import { mergeTexts } from '@tugdeck/protocol/files/merge-texts';
import type { FileText } from '@tugdeck/protocol/files/messages';
import { SharedValues } from '@tugdeck/protocol/shared-values';
import { useEffect, useState } from 'react';
import { type FilePlace, readFile, saveFile } from '../../features/files/file-api.ts';
import { cell } from '../../kit/cell.ts';
import { faultText } from '../../kit/deck-actions.ts';
import { loadDraft, saveDraft } from './draft-store.ts';

export interface FileState {
  readonly phase: 'loading' | 'text' | 'other' | 'fault';
  readonly document: FileDocument | undefined;
  /** Set if the file cannot be edited as text. */
  readonly other: Extract<FileText, { kind: 'binary' | 'large' }> | undefined;
  readonly isDirty: boolean;
  readonly isWritable: boolean;
  /** Why it cannot be shown, or why the last save failed. */
  readonly fault: string | undefined;
  /** Counts versions read from disk, for previews. */
  readonly version: number;
}

export function mergedText({ base, text, conflict }: FileDocument): string | undefined {
  if (!base || conflict?.theirs === undefined) return undefined;
  return mergeTexts(base.text, text, conflict.theirs);
}

const TYPED_MS = 200;

export class FileSession {
  readonly place: FilePlace;
  readonly state = cell<FileState>({
    phase: 'loading',
    document: undefined,
    other: undefined,
    isDirty: false,
    isWritable: true,
    fault: undefined,
    version: 0,
  });
  readonly #files: AreaChannel<typeof files>;
  readonly #ends: (() => void)[];
  #typed: (() => string) | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #reading: Promise<void> | undefined;
  #readAgain = false;

  constructor(client: Client, place: FilePlace) {
    this.place = place;
    this.#files = client.openArea(files, { project: place.project });
    const onHide = () => this.flush();
    addEventListener('pagehide', onHide);
    document.addEventListener('visibilitychange', onHide);
    this.#ends = [
      () => removeEventListener('pagehide', onHide),
      () => document.removeEventListener('visibilitychange', onHide),
    ];
    this.#files.onOpen(() => this.#follow());
    this.#files.onEvent((push) => {
      if (push.type === 'changed' && push.files.includes(place.path)) void this.reload();
      else if (push.type === 'everything') void this.reload();
      else if (push.type === 'overtaken' && push.path === place.path) {
        this.flush();
        this.#change((now) => overtaken(now, push.text));
      }
    });
    this.#follow();
  }

  /** Called on each edit; the text is read when typing pauses or it is needed. */
  typed(text: () => string): void {
    this.#typed = text;
    if (!this.state.get().isDirty) this.#set({ isDirty: true });
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.flush(), TYPED_MS);
  }

  flush(): void {
    const typed = this.#typed;
    clearTimeout(this.#timer);
    if (!typed) return;
    this.#typed = undefined;
    this.#change((now) => edit(now, typed()));
  }

  /** Resolves with whether the text is on disk. */
  async save(): Promise<boolean> {
    this.flush();
    const before = this.state.get().document;
    const begun = before && beginSave(before);
    if (!begun) return before !== undefined && !isDirty(before);
    this.#set({ document: begun, fault: undefined });
    try {
      const answer = await saveFile(this.place, begun.saving ?? '', begun.base?.hash);
      if (answer.kind === 'saved') this.#change((now) => saved(now, answer.hash));
      else this.#change((now) => saveRefused(now, answer.theirs));
      return answer.kind === 'saved';
    } catch (error) {
      this.#change(saveLost);
      this.#set({ fault: `Not saved: ${faultText(error)}` });
      return false;
    } finally {
      // Changes by others were ignored while the save was in progress.
      void this.reload();
    }
  }

  /** Resolves a conflict; `mine` is the editor's text. */
  decide(choice: 'mine' | 'theirs'): void {
    this.flush();
    this.#change((now) => resolveConflict(now, choice));
  }

  /** Merges both texts if they change different lines. Shown, but only saved by the user. */
  merge(): void {
    this.flush();
    this.#change((now) => {
      const merged = mergedText(now);
      return merged === undefined ? now : resolveConflict(edit(now, merged), 'mine');
    });
  }

  /** Reads the file again; one read at a time, repeated if requested during a read. */
  reload(): Promise<void> {
    if (this.#reading) {
      this.#readAgain = true;
      return this.#reading;
    }
    this.#reading = this.#reload().finally(() => {
      this.#reading = undefined;
      if (!this.#readAgain) return;
      this.#readAgain = false;
      void this.reload();
    });
    return this.#reading;
  }

  close(): void {
    this.flush();
    for (const end of this.#ends) end();
    this.#files.call('unfollow', { path: this.place.path }).catch(() => undefined);
    this.#files.close();
  }

  #follow(): void {
    // Subscribes before reading, so that no change is missed.
    this.#files.call('follow', { path: this.place.path }).then(
      () => this.reload(),
      () => this.reload(),
    );
  }

  async #reload(): Promise<void> {
    const { document } = this.state.get();
    try {
      const found = await readFile(this.place, document?.base?.hash);
      if (found.kind === 'same') {
        if (this.state.get().document?.conflict || document?.doubted !== undefined)
          await this.#see(document?.base);
        return;
      }
      if (found.kind === 'text') {
        await this.#see({ text: found.text, hash: found.hash });
        this.#set({ isWritable: found.isWritable, other: undefined });
        return;
      }
      if (found.kind === 'gone') {
        if (await this.#isKnown()) await this.#see(undefined);
        else this.#set({ phase: 'fault', fault: 'File not found' });
        return;
      }
      // No longer text: unsaved edits here still have to be resolved.
      if (document && isDirty(document)) await this.#see(undefined);
      else this.#set({ phase: 'other', other: found, document: undefined, version: this.#version() });
    } catch (error) {
      const code = (error as { code?: string }).code;
      if (code === 'CONNECTION_LOST') return;
      if (!document) this.#set({ phase: 'fault', fault: faultText(error) });
      else this.#set({ fault: faultText(error) });
    }
  }

  /** Deleted on disk, but it was shown before or has unsaved text. */
  async #isKnown(): Promise<boolean> {
    return this.state.get().document !== undefined || (await loadDraft(this.place)) !== undefined;
  }

  async #see(disk: DiskText | undefined): Promise<void> {
    this.flush();
    if (this.state.get().document) {
      this.#change((now) => updateFromDisk(now, disk));
      return;
    }
    const draft = await loadDraft(this.place);
    const document = openDocument(disk, draft);
    this.#set({ phase: 'text', document, isDirty: isDirty(document), fault: undefined });
  }

  #change(change: (now: FileDocument) => FileDocument): void {
    const before = this.state.get().document;
    if (!before) return;
    const document = change(before);
    if (document === before) return;
    const dirty = isDirty(document);
    const version = document.base === before.base ? this.state.get().version : this.#version();
    this.#set({ phase: 'text', document, isDirty: dirty, version });
    const isUnsaved = dirty || document.conflict !== undefined;
    void saveDraft(this.place, isUnsaved ? { text: document.text, base: document.base } : undefined);
  }

  #version(): number {
    return this.state.get().version + 1;
  }

  #set(part: Partial<FileState>): void {
    this.state.set({ ...this.state.get(), ...part });
  }
}

const openFiles = new SharedValues<string, FileSession>((session) => session.close());

/** The page's open files: one shared session per file, closed with its last user. */
export function useFileSession(client: Client, project: string, path: string): FileSession | undefined {
  const [session, setSession] = useState<FileSession>();
  useEffect(() => {
    const key = `${project}\n${path}`;
    const held = openFiles.hold(key, () => new FileSession(client, { project, path }));
    setSession(held.value);
    return held.release;
  }, [client, project, path]);
  return session?.place.path === path && session.place.project === project ? session : undefined;
}
