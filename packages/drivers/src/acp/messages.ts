/**
 * Turns message chunks into entries: the agent's text, its thoughts, and echoed user messages. A chunk continues the
 * open entry unless another message, another kind or a tool came between. A retried answer replaces its first half,
 * below a notice.
 */

import type { Scope } from '../kit/scope.ts';
import { blockText } from './content.ts';
import type { ContentBlock } from './wire.ts';

type Kind = 'text' | 'thinking';

interface Stream {
  readonly entry: string;
  readonly kind: Kind;
  readonly message: string | undefined;
  /** Outside of turns nothing stays open: such an entry is complete and grows by patches. */
  readonly settled: boolean;
  text: string;
  /** The agent reported the end of the message. */
  ended: boolean;
  /** Length of the text when the stream paused, if a repetition after it would indicate a retry. */
  pausedAt: number | undefined;
}

/** A shorter beginning may repeat by chance. */
const MIN_REPEATED = 8;
const RETRIED = 'The answer was cut off. The agent asked the model again.';

export interface MessagesOptions {
  readonly scope: Scope;
  /** Whether chunks are streamed: during a turn, or while a stored session is replayed. */
  readonly streams: () => boolean;
  /** Called with a complete user message that the agent sent. */
  readonly onUserMessage: (text: string, id: string | undefined) => void;
  /** Whether the agent reports the end of each message; a message without one was interrupted. */
  readonly reportsMessageEnds: () => boolean;
}

export class Messages {
  readonly #scope: Scope;
  readonly #streams: () => boolean;
  readonly #onUserMessage: MessagesOptions['onUserMessage'];
  readonly #reportsMessageEnds: () => boolean;
  /** The first half of a retried answer. */
  #half: Pick<Stream, 'entry' | 'text'> | undefined;
  #stream: Stream | undefined;
  #lastText = '';
  #user: { text: string; message: string | undefined } | undefined;

  constructor({ scope, streams, onUserMessage, reportsMessageEnds }: MessagesOptions) {
    this.#reportsMessageEnds = reportsMessageEnds;
    this.#scope = scope;
    this.#streams = streams;
    this.#onUserMessage = onUserMessage;
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
    this.#joinHalf(stream);
    this.#replaceRepeated(stream);
  }

  /** The stream paused. */
  paused(): void {
    const stream = this.#stream;
    if (stream?.kind !== 'text' || stream.settled || stream.pausedAt !== undefined) return;
    const { text } = stream;
    if (text.length >= MIN_REPEATED && !isRepetitive(text)) stream.pausedAt = text.length;
  }

  /** The open message is complete. */
  messageEnded(): void {
    if (this.#stream) this.#stream.ended = true;
  }

  /** Drops the open text if it only repeats this error; returns the text. */
  retractError(why: string): string | undefined {
    const stream = this.#stream;
    const text = stream?.kind === 'text' && !stream.settled ? stream.text.trim() : '';
    if (!stream || text === '' || !why.includes(text)) return undefined;
    this.#stream = undefined;
    this.#drop(stream.entry);
    return text;
  }

  /** The agent's last complete message. */
  get lastText(): string {
    return this.#lastText;
  }

  user(block: ContentBlock, message: string | undefined): void {
    if (this.#user && message !== undefined && this.#user.message !== message) this.#flushUser();
    this.#closeStream('complete');
    this.#user = { text: (this.#user?.text ?? '') + blockText(block), message };
  }

  /** Closes the open message because something else follows. */
  close(status: 'complete' | 'cancelled' = 'complete'): void {
    this.#flushUser();
    this.#closeStream(status);
  }

  #continued(kind: Kind, message: string | undefined): Stream | undefined {
    const open = this.#stream;
    if (!open || open.kind !== kind || open.settled === this.#streams()) return undefined;
    const other = message !== undefined && open.message !== undefined && message !== open.message;
    if (!other) return open;
    const isCut = kind === 'text' && this.#reportsMessageEnds() && !open.ended && !open.settled;
    const isPaused = open.pausedAt === open.text.length;
    if (isCut && isPaused) this.#half = { entry: open.entry, text: open.text };
    return undefined;
  }

  /** After an interrupted message, the agent sends it again: if it starts the same, the first half is dropped. */
  #joinHalf(stream: Stream): void {
    const half = this.#half;
    if (!half || stream.text.length < half.text.length) return;
    this.#half = undefined;
    if (!stream.text.startsWith(half.text)) return;
    this.#drop(half.entry);
    this.#scope.notice('retry', 'info', RETRIED);
  }

  /** The same within one message: the text after a pause repeats everything before it. */
  #replaceRepeated(stream: Stream): void {
    const { pausedAt, text, message, kind } = stream;
    if (pausedAt === undefined) return;
    const [before, since] = [text.slice(0, pausedAt), text.slice(pausedAt)];
    if (since.length < before.length && before.startsWith(since)) return;
    stream.pausedAt = undefined;
    if (!since.startsWith(before)) return;
    this.#stream = undefined;
    this.#drop(stream.entry);
    this.#scope.notice('retry', 'info', RETRIED);
    const next = this.#start(kind, message);
    next.text = since;
    this.#scope.out.put({ kind: 'live', entry: next.entry, field: 'text', at: 0, text: since });
  }

  /** Keeps its position but is not shown (M13). */
  #drop(entry: string): void {
    this.#scope.out.put({ kind: 'entry.closed', entry, status: 'cancelled', patch: { text: '' } });
  }

  #start(kind: Kind, message: string | undefined): Stream {
    this.#closeStream('complete');
    const settled = !this.#streams();
    const entry = this.#scope.out.id(kind);
    this.#scope.open({ id: entry, kind, status: settled ? 'complete' : 'partial', text: '' });
    const stream: Stream = { entry, kind, message, settled, text: '', ended: false, pausedAt: undefined };
    this.#stream = stream;
    return stream;
  }

  #closeStream(status: 'complete' | 'cancelled'): void {
    const stream = this.#stream;
    if (stream && stream.entry !== this.#half?.entry) this.#half = undefined;
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
    if (user) this.#onUserMessage(user.text, user.message);
  }

  /** Images are shown like a tool result. */
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

/** Whether a text such as a row of dots repeats itself: more of the same after a pause is then no sign of a retry. */
function isRepetitive(text: string): boolean {
  return text.includes(text.slice(0, Math.ceil(text.length / 2)), 1);
}
