/**
 * Turns the items of a thread into entries. The completed item is authoritative; streamed parts may lack their
 * beginning or never come. Some items are never completed, some only after their turn: both are closed here.
 */
import type { EntryPatch, EntryStatus, ToolState } from '@tugdeck/protocol/conversation/entries';
import { contentHash } from '@tugdeck/protocol/ids';
import { type Fields, textAt } from '../kit/fields.ts';
import type { Scope } from '../kit/scope.ts';
import { errorOf, resultOf, viewOf } from './item-view.ts';
import { thoughtsOf } from './texts.ts';

/** How a turn ended, for items that were open in it. */
export type Settled = 'completed' | 'cancelled' | 'failed' | 'paused';
type Closed = Exclude<EntryStatus, 'partial'>;

export interface Item {
  readonly id: string;
  readonly type: string;
  readonly turn: string | undefined;
  /** Empty until it is shown. */
  entry: string;
  data: Fields;
  /** The streamed text. */
  text: string;
  /** The streaming part, for thoughts. */
  part: string;
  /** Text is missing here: the beginning, or while the thread was not joined. */
  gap: boolean;
  pendingRequests: number;
  denied: { readonly by: 'user' | 'agent'; readonly why?: string } | undefined;
  settled: Settled | undefined;
  over: boolean;
}

export interface ItemsOptions {
  readonly scope: Scope;
  /** Whether entries may stay open: only during a turn. */
  readonly streams: () => boolean;
  readonly names: Names;
}

/** Usage count of each entry name: threads of one connection may share items (a fork). */
export type Names = Map<string, number>;

const STREAMED: Readonly<Record<string, 'text' | 'thinking'>> = {
  agentMessage: 'text',
  plan: 'text',
  reasoning: 'thinking',
};
/** Late changes are allowed, but memory is limited. */
const REMEMBERED = 1000;
/** Maximum output per command (X2). */
const MAX_OUTPUT = 1024 * 1024;
const MISSED = '…';

export class Items {
  readonly #scope: Scope;
  readonly #streams: () => boolean;
  readonly #items = new Map<string, Item>();
  readonly #names: Names;
  /** Ids of messages and events already seen. */
  readonly #seen = new Set<string>();
  #lastText = '';

  constructor({ scope, streams, names }: ItemsOptions) {
    this.#scope = scope;
    this.#names = names;
    this.#streams = streams;
  }

  /** The last complete message. */
  get lastText(): string {
    return this.#lastText;
  }

  find(id: string | undefined, turn?: string): Item | undefined {
    if (id === undefined) return undefined;
    const exact = this.#items.get(keyOf(turn, id));
    if (exact) return exact;
    return [...this.#items.values()].findLast((item) => item.id === id);
  }

  get open(): Item[] {
    return [...this.#items.values()].filter(({ over }) => !over);
  }

  has(id: string): boolean {
    return this.find(id) !== undefined;
  }

  /** Whether the id was seen before; marks it as seen. */
  markSeen(id: string): boolean {
    if (this.#seen.has(id)) return true;
    this.#seen.add(id);
    return false;
  }

  /** An entry name for something that is not an item here. */
  entryName(id: string, turn: string | undefined, own: string | undefined): string {
    return own === undefined ? this.#name({ id, turn }) : this.#unique(own);
  }

  started(data: Fields, turn: string | undefined): Item {
    const item = this.#item(data, turn);
    item.data = data;
    if (item.type === 'agentMessage') this.dropUnfinished(item);
    const text = textAt(data, 'text') ?? '';
    // It may be repeated, for example after rejoining the thread.
    if (item.type in STREAMED) {
      if (text.startsWith(item.text)) this.append(item, text.slice(item.text.length));
    } else if (item.entry === '') this.#show(item);
    else this.patch(item, data);
    return item;
  }

  completed(data: Fields, turn: string | undefined): Item {
    const item = this.#item(data, turn, true);
    item.data = data;
    if (item.type in STREAMED) this.#completeText(item);
    else this.#completeTool(item);
    item.over = true;
    return item;
  }

  /** A delta of an item, which may be unknown so far. */
  delta(type: string, id: string, turn: string | undefined, piece: string, part = ''): void {
    const known = this.find(id, turn);
    const item = known ?? this.#item({ id, type }, turn);
    if (!known) item.gap = true;
    if (item.over) return;
    const isNext = part !== item.part && item.text !== '';
    item.part = part;
    this.append(item, (isNext ? '\n\n' : '') + piece);
  }

  append(item: Item, piece: string): void {
    const isOutput = !(item.type in STREAMED);
    const at = item.text.length;
    const room = isOutput ? Math.max(0, MAX_OUTPUT - at) : Number.POSITIVE_INFINITY;
    const text = `${item.gap ? MISSED : ''}${piece}`.slice(0, room);
    item.gap = false;
    item.text += text;
    // Outside of turns nothing stays open: it is shown once complete.
    if (text === '' || !this.#streams() || item.settled !== undefined) return;
    if (item.entry === '') this.#show(item);
    this.#scope.out.put({
      kind: 'live',
      entry: item.entry,
      field: isOutput ? 'output' : 'text',
      at,
      text,
    });
  }

  /** Updates the data of an open item. */
  patch(item: Item, data: Fields): void {
    if (item.over) return;
    item.data = { ...item.data, ...data };
    if (item.entry === '') return;
    const { name: _, ...view } = viewOf(item.data);
    this.#scope.out.put({ kind: 'entry.patched', entry: item.entry, patch: view });
  }

  /** A request about this item. */
  openForRequest(item: Item): void {
    item.pendingRequests++;
    if (item.entry === '') this.#show(item);
    this.#state(item, 'waiting');
  }

  answered(item: Item, allowed: boolean | undefined): void {
    item.pendingRequests = Math.max(0, item.pendingRequests - 1);
    if (allowed === false) item.denied = { by: 'user' };
    if (!item.over && item.settled === undefined)
      this.#state(item, item.pendingRequests > 0 ? 'waiting' : allowed === false ? 'denied' : 'running');
  }

  /** A message followed by another one was interrupted: the agent drops it, and the model will not know it. */
  dropUnfinished(next?: Item): void {
    for (const item of this.open) {
      if (item !== next && item.type === 'agentMessage') this.#settleText(item, 'cancelled');
    }
  }

  /** Events were missed. */
  missed(): void {
    for (const item of this.open) item.gap = item.text !== '';
  }

  settle(how: Settled): void {
    for (const item of this.open) {
      if (item.settled !== undefined) continue;
      if (item.type in STREAMED) this.#settleText(item, how);
      else this.#settleTool(item, how);
      item.settled = how;
    }
  }

  #item(data: Fields, turn: string | undefined, isEnd = false): Item {
    const id = textAt(data, 'id') ?? '';
    const type = textAt(data, 'type') ?? 'item';
    const exact = this.#items.get(keyOf(turn, id));
    const known = exact ?? this.find(id);
    // The same id after its end is a new item: some providers restart their count. An end may come late, or twice.
    const isSame = isEnd ? exact !== undefined || !known?.over : !known?.over && known?.settled === undefined;
    if (known && isSame && known.type === type) return known;
    const item: Item = {
      id,
      type,
      turn,
      entry: '',
      data,
      text: '',
      part: '',
      gap: false,
      pendingRequests: 0,
      denied: undefined,
      settled: undefined,
      over: false,
    };
    this.#items.delete(keyOf(turn, id));
    this.#items.set(keyOf(turn, id), item);
    this.#forget();
    return item;
  }

  #show(item: Item): void {
    item.entry = this.#name(item);
    const status = this.#streams() ? 'partial' : 'complete';
    const kind = STREAMED[item.type];
    if (kind !== undefined) this.#scope.open({ id: item.entry, kind, status, text: '' });
    else this.#scope.open({ id: item.entry, kind: 'tool', status, state: 'running', ...viewOf(item.data) });
  }

  #completeText(item: Item): void {
    const text = item.type === 'reasoning' ? thoughtsOf(item.data) : (textAt(item.data, 'text') ?? item.text);
    if (item.type === 'agentMessage' && text !== '') this.#lastText = text;
    item.text = text;
    const kind = STREAMED[item.type] ?? 'text';
    if (item.entry !== '') {
      const known = item.settled === undefined ? {} : { forgotten: false };
      this.#close(item, 'complete', { text, ...(kind === 'text' ? known : {}) });
    } else if (text !== '') {
      item.entry = this.#name(item);
      this.#scope.open({ id: item.entry, kind, status: 'complete', text });
    }
  }

  #completeTool(item: Item): void {
    if (item.entry === '') this.#show(item);
    const { data } = item;
    const result = resultOf(data);
    const durationMs = typeof data.durationMs === 'number' ? { durationMs: data.durationMs } : {};
    const { name: _, ...view } = viewOf(data);
    const output = result?.type === 'terminal' ? { output: String(result.stdout).slice(0, MAX_OUTPUT) } : {};
    const shown: EntryPatch = { ...view, ...output, ...durationMs, ...(result ? { result } : {}) };
    const status = textAt(data, 'status');
    if (status === 'declined') {
      this.#close(item, 'failed', { ...view, state: 'denied', denied: item.denied ?? { by: 'agent' } });
    } else if (status === 'failed' || status === 'interrupted') {
      // Stopped together with its turn, so the failure is our doing.
      const isStopped = status === 'interrupted' || item.settled === 'cancelled';
      const error = isStopped ? undefined : errorOf(data);
      this.#close(item, isStopped ? 'cancelled' : 'failed', {
        ...shown,
        state: isStopped ? 'interrupted' : 'failed',
        ...(error === undefined ? {} : { error }),
      });
    } else {
      this.#close(item, 'complete', { ...shown, state: 'done' });
    }
  }

  #settleText(item: Item, how: Settled): void {
    item.settled ??= how;
    if (item.entry === '') return;
    const isDropped = how !== 'paused' && item.type === 'agentMessage';
    this.#close(item, how === 'paused' ? 'complete' : 'cancelled', {
      text: item.text,
      ...(isDropped ? { forgotten: true } : {}),
    });
  }

  #settleTool(item: Item, how: Settled): void {
    if (item.entry === '') return;
    const output = item.text === '' ? {} : { output: item.text };
    const runsOn = how === 'paused' || (how === 'completed' && item.type === 'commandExecution');
    if (item.denied && how !== 'paused')
      this.#close(item, 'failed', { ...output, state: 'denied', denied: item.denied });
    else if (runsOn) this.#close(item, 'complete', { ...output, ...taskOf(item), state: 'background' });
    else if (how === 'completed') this.#close(item, 'stale', { ...output, state: 'stale' });
    else this.#close(item, 'cancelled', { ...output, state: 'interrupted' });
  }

  #state(item: Item, state: ToolState): void {
    this.#scope.out.put({ kind: 'entry.patched', entry: item.entry, patch: { state } });
  }

  #close(item: Item, status: Closed, patch: EntryPatch): void {
    this.#scope.out.put({ kind: 'entry.closed', entry: item.entry, status, patch });
  }

  /** Turn id and item id, so that the name locates the entry in the thread (A6). */
  #name({ id, turn }: Pick<Item, 'id' | 'turn'>): string {
    const plain = turn === undefined ? id : `${turn}/${id}`;
    const base = plain === '' ? this.#scope.out.id('item') : plain.length > 150 ? contentHash(plain) : plain;
    return this.#unique(base);
  }

  #unique(base: string): string {
    const times = (this.#names.get(base) ?? 0) + 1;
    this.#names.set(base, times);
    return times === 1 ? base : `${base}~${times}`;
  }

  #forget(): void {
    if (this.#items.size <= REMEMBERED) return;
    for (const [key, { over }] of this.#items) {
      if (!over) continue;
      this.#items.delete(key);
      return;
    }
  }
}

/** The id by which a running command is stopped. */
function taskOf({ data }: Item): EntryPatch {
  const task = textAt(data, 'processId');
  return task === undefined ? {} : { task };
}

function keyOf(turn: string | undefined, id: string): string {
  return `${turn ?? ''}/${id}`;
}
