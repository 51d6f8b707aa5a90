/**
 * Chunks of text into entries: the agent's words, its thoughts, and what it says that the user said. A chunk
 * goes on with the open entry unless another message, another kind or a tool came between.
 */

import type { Scope } from '../kit/scope.ts';
import { blockText } from './content.ts';
import type { ContentBlock } from './wire.ts';

type Kind = 'text' | 'thinking';

interface Stream {
  readonly entry: string;
  readonly kind: Kind;
  readonly message: string | undefined;
  /** Outside a turn nothing stays open: such an entry is complete and grows by patches. */
  readonly settled: boolean;
  text: string;
}

export interface MessagesOptions {
  readonly scope: Scope;
  /** Whether chunks stream: in a turn, or while a stored session is told again. */
  readonly streams: () => boolean;
  /** A whole message of the user, told by the agent. */
  readonly said: (text: string) => void;
}

export class Messages {
  readonly #scope: Scope;
  readonly #streams: () => boolean;
  readonly #said: (text: string) => void;
  #stream: Stream | undefined;
  #lastText = '';
  #user: { text: string; message: string | undefined } | undefined;

  constructor({ scope, streams, said }: MessagesOptions) {
    this.#scope = scope;
    this.#streams = streams;
    this.#said = said;
  }

  chunk(kind: Kind, block: ContentBlock, message: string | undefined): void {
    this.#flushUser();
    if (block.type === 'image') {
      this.close();
      this.#image(block);
      return;
    }
    const text = blockText(block);
    if (text === '') return;
    const stream = this.#continued(kind, message) ?? this.#start(kind, message);
    if (stream.settled) {
      stream.text += text;
      this.#scope.out.put({ kind: 'entry.patched', entry: stream.entry, patch: { text: stream.text } });
      return;
    }
    this.#scope.out.put({ kind: 'live', entry: stream.entry, field: 'text', at: stream.text.length, text });
    stream.text += text;
  }

  /** The last message of the agent that is whole. */
  get lastText(): string {
    return this.#lastText;
  }

  user(block: ContentBlock, message: string | undefined): void {
    if (this.#user && message !== undefined && this.#user.message !== message) this.#flushUser();
    this.#closeStream('complete');
    this.#user = { text: (this.#user?.text ?? '') + blockText(block), message };
  }

  /** Something else comes: what was said so far is whole. */
  close(status: 'complete' | 'cancelled' = 'complete'): void {
    this.#flushUser();
    this.#closeStream(status);
  }

  #continued(kind: Kind, message: string | undefined): Stream | undefined {
    const open = this.#stream;
    if (!open || open.kind !== kind || open.settled === this.#streams()) return undefined;
    const other = message !== undefined && open.message !== undefined && message !== open.message;
    return other ? undefined : open;
  }

  #start(kind: Kind, message: string | undefined): Stream {
    this.#closeStream('complete');
    const settled = !this.#streams();
    const entry = this.#scope.out.id(kind);
    this.#scope.open({ id: entry, kind, status: settled ? 'complete' : 'partial', text: '' });
    this.#stream = { entry, kind, message, settled, text: '' };
    return this.#stream;
  }

  #closeStream(status: 'complete' | 'cancelled'): void {
    const stream = this.#stream;
    this.#stream = undefined;
    if (!stream) return;
    const { entry, text, kind } = stream;
    if (kind === 'text') this.#lastText = text;
    if (stream.settled) return;
    this.#scope.out.put({ kind: 'entry.closed', entry, status, patch: { text } });
  }

  #flushUser(): void {
    const user = this.#user;
    this.#user = undefined;
    if (user) this.#said(user.text);
  }

  /** An image is no text: it is drawn like the result of a tool. */
  #image({ data, mimeType, uri }: ContentBlock): void {
    this.#scope.open({
      id: this.#scope.out.id('image'),
      kind: 'tool',
      status: 'complete',
      name: 'image',
      title: uri ?? 'Image',
      toolKind: 'other',
      state: 'done',
      result: { type: 'image', mimeType: mimeType ?? 'image/png', data: data ?? '' },
    });
  }
}
