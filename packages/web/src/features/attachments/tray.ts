/**
 * The attachments of a session's next message. Owns limits, uploads and their errors; outlives the card, so that
 * switching sessions loses nothing. `attachmentForm` decides what can be sent.
 */
import { newId } from '@tugdeck/client/new-id';
import type { Readable } from '@tugdeck/client/store';
import type { Attachment } from '@tugdeck/protocol/conversation/entries';
import { blobRefSchema } from '@tugdeck/protocol/conversation/long-text';
import { attachmentForm, MAX_IMAGE, MAX_TEXT } from '@tugdeck/protocol/conversation/sendable';
import { apiFetch } from '../../kit/api.ts';
import { cell } from '../../kit/cell.ts';
import { bytes } from '../../kit/format.ts';

const MAX_FILES = 20;

export interface TrayFile {
  readonly id: string;
  readonly name: string;
  readonly mimeType: string;
  readonly size: number;
  /** Preview URL of an image. */
  readonly preview?: string;
  readonly state: 'loading' | 'ready' | 'failed';
  readonly data?: Attachment['data'];
  readonly fault?: string;
}

interface TrayState {
  readonly files: readonly TrayFile[];
  /** Why the last files were rejected. */
  readonly refusals: readonly string[];
}

export interface Tray {
  readonly state: Readable<TrayState>;
  add(files: Iterable<File>): void;
  remove(id: string): void;
  retry(id: string): void;
  /** Empties the tray and returns its attachments; undefined if a file is not ready. */
  take(): Attachment[] | undefined;
  /** Restores the attachments of a refused message. */
  restore(attachments: readonly Attachment[]): void;
}

export function createTray(session: string, read: typeof dataOf = dataOf): Tray {
  const state = cell<TrayState>({ files: [], refusals: [] });
  const sources = new Map<string, { readonly file: File; readonly stop: AbortController }>();

  const patch = (id: string, change: Partial<TrayFile>) => {
    const { files, refusals } = state.get();
    state.set({ refusals, files: files.map((file) => (file.id === id ? { ...file, ...change } : file)) });
  };
  const forget = (file: TrayFile) => {
    sources.get(file.id)?.stop.abort();
    sources.delete(file.id);
    if (file.preview?.startsWith('blob:')) URL.revokeObjectURL(file.preview);
  };
  const load = (id: string) => {
    const source = sources.get(id);
    if (!source) return;
    read(session, source.file, source.stop.signal).then(
      (data) => patch(id, { state: 'ready', data }),
      (error: unknown) =>
        patch(id, {
          state: 'failed',
          fault: error instanceof Error ? error.message : 'Couldn’t read this file',
        }),
    );
  };

  return {
    state,
    add(chosen) {
      const files = [...state.get().files];
      const refusals: string[] = [];
      const begun: string[] = [];
      for (const file of chosen) {
        const why = files.length >= MAX_FILES ? `${file.name}: ${TOO_MANY}` : fileRejection(file);
        if (why) {
          refusals.push(why);
          continue;
        }
        const id = newId();
        const { name, type: mimeType, size } = file;
        const isImage = attachmentForm({ name, mimeType, size }) === 'image';
        sources.set(id, { file, stop: new AbortController() });
        const facts = { id, name: name || 'file', mimeType: mimeType || 'text/plain', size };
        files.push({
          ...facts,
          state: 'loading',
          ...(isImage ? { preview: URL.createObjectURL(file) } : {}),
        });
        begun.push(id);
      }
      state.set({ files, refusals });
      for (const id of begun) load(id);
    },
    remove(id) {
      const { files } = state.get();
      for (const file of files) if (file.id === id) forget(file);
      state.set({ files: files.filter((file) => file.id !== id), refusals: [] });
    },
    retry(id) {
      patch(id, { state: 'loading' });
      load(id);
    },
    take() {
      const { files } = state.get();
      const ready: Attachment[] = [];
      for (const { name, mimeType, size, data } of files) {
        if (data === undefined) return undefined;
        ready.push({ name, mimeType, size, data });
      }
      for (const file of files) forget(file);
      state.set({ files: [], refusals: [] });
      return ready;
    },
    restore(attachments) {
      const back = attachments.map((file): TrayFile => ({ ...file, id: newId(), state: 'ready' }));
      state.set({ files: [...back, ...state.get().files].slice(0, MAX_FILES), refusals: [] });
    },
  };
}

const TOO_MANY = `you can attach up to ${MAX_FILES} files per message`;

/** Why a file cannot be sent; undefined if it can. */
export function fileRejection({
  name,
  type,
  size,
}: Pick<File, 'name' | 'type' | 'size'>): string | undefined {
  const facts = { name, mimeType: type, size };
  if (attachmentForm(facts)) return size === 0 ? `${name} is empty` : undefined;
  if (attachmentForm({ ...facts, size: 0 }) === undefined) {
    return `${name}: only images (PNG, JPEG, GIF, WebP), PDFs and text files can be attached`;
  }
  const limit =
    type === 'application/pdf'
      ? ''
      : type.startsWith('image/')
        ? `. The limit for images is ${bytes(MAX_IMAGE)}`
        : `. The limit for text files is ${bytes(MAX_TEXT)}`;
  return `${name} is too large (${bytes(size)})${limit}`;
}

const trays = new Map<string, Tray>();

/** The tray of a session. */
export function trayOf(session: string): Tray {
  const known = trays.get(session);
  if (known) return known;
  const made = createTray(session);
  trays.set(session, made);
  return made;
}

/** Twenty files of this size and the longest message fit into a frame. */
const MAX_INLINE = 16 * 1024;

/** Small files are sent inline, larger ones are uploaded first. */
async function dataOf(session: string, file: File, signal: AbortSignal): Promise<Attachment['data']> {
  return file.size <= MAX_INLINE ? base64Of(file) : upload(session, file, signal);
}

async function upload(session: string, file: File, signal: AbortSignal): Promise<Attachment['data']> {
  const response = await apiFetch(`/api/upload/${encodeURIComponent(session)}`, {
    method: 'POST',
    headers: { 'content-type': 'application/octet-stream' },
    body: file,
    signal,
  });
  if (response.status === 413) throw new Error('File is too large to attach');
  if (!response.ok) throw new Error(`Couldn’t upload this file (${response.status})`);
  return blobRefSchema.parse(await response.json());
}

function base64Of(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).split(',', 2)[1] ?? '');
    reader.onerror = () => reject(new Error('Couldn’t read this file'));
    reader.readAsDataURL(file);
  });
}
