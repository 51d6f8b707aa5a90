/**
 * Subagents: separate threads on the same connection, which are not announced. Each is one `tool` entry of kind
 * `agent` that contains its thread's entries. They may outlive the call and the turn.
 */
import type { ToolState } from '@tugdeck/protocol/conversation/entries';
import { type Fields, listOf, recordOf, textAt } from '../kit/fields.ts';
import type { Scope } from '../kit/scope.ts';
import { firstLine } from './history-tools.ts';
import type { Item, Items, Settled } from './items.ts';
import type { Turns } from './turns.ts';

/** The part of a thread that is used here. */
interface AnyThread {
  readonly scope: Scope;
  readonly turns: Turns;
  readonly items: Items;
}

interface Subagent<Thread> {
  readonly entry: string;
  /** The thread that started it. */
  readonly of: Thread;
  prompt: string;
  reply: string;
  closed: boolean;
}

export class Subagents<Thread extends AnyThread> {
  readonly #agents = new Map<string, Subagent<Thread>>();
  /** Spawn calls whose thread is not known yet, oldest first. */
  readonly #spawning: { readonly of: Thread; readonly item: Item }[] = [];
  readonly #threadOf: (id: string) => Thread | undefined;

  constructor(threadOf: (id: string) => Thread | undefined) {
    this.#threadOf = threadOf;
  }

  find(thread: string): Subagent<Thread> | undefined {
    return this.#agents.get(thread);
  }

  /** A spawn call; its thread may send messages before the call names it. */
  spawning(of: Thread, item: Item): void {
    if (isSpawn(item.data) && item.entry !== '') this.#spawning.push({ of, item });
  }

  /** The spawn call ended: whether the subagent, and with it the entry, continues. */
  spawned(of: Thread, reported: Fields, turn: string | undefined): boolean {
    if (!isSpawn(reported)) return false;
    const item = of.items.find(textAt(reported, 'id'), turn);
    const at = this.#spawning.findIndex((one) => one.item === item);
    if (at >= 0) this.#spawning.splice(at, 1);
    const threads = listOf(reported.receiverThreadIds).filter((id) => typeof id === 'string');
    if (!item || item.entry === '' || threads.length === 0 || reported.status === 'failed') return false;
    item.over = true;
    for (const thread of threads) this.#link(thread, of, item.entry, textAt(reported, 'prompt') ?? '');
    return true;
  }

  /** An unknown thread: belongs to the oldest pending spawn call, otherwise to an unannounced subagent. */
  adopt(thread: string, main: Thread): Subagent<Thread> {
    const waiting = this.#spawning.shift();
    if (waiting) {
      waiting.item.over = true;
      return this.#link(thread, waiting.of, waiting.item.entry, textAt(waiting.item.data, 'prompt') ?? '');
    }
    return this.#link(thread, main, this.#open(main, 'Subagent'), '');
  }

  activity(of: Thread, item: Fields): void {
    const thread = textAt(item, 'agentThreadId');
    if (thread === undefined) return;
    const name = textAt(item, 'agentPath')?.split('/').at(-1);
    if (item.kind === 'started' && !this.#agents.has(thread))
      this.#link(thread, of, this.#open(of, name || 'Subagent'), '');
    else if (item.kind === 'interrupted') this.ended(thread, 'cancelled', '');
  }

  /** Reports of subagents in a call of the parent. */
  toolCallReceived(item: Fields): void {
    for (const [thread, state] of Object.entries(recordOf(item.agentsStates))) {
      const agent = this.#agents.get(thread);
      const text = textAt(state, 'message');
      if (!agent || !text || text === agent.reply) continue;
      agent.reply = text;
      this.#patch(agent, { result: { type: 'agent', text } });
    }
  }

  promptReceived(thread: string, text: string): void {
    const agent = this.#agents.get(thread);
    if (!agent || text === '' || agent.prompt !== '') return;
    agent.prompt = text;
    this.#patch(agent, {
      title: firstLine(text),
      input: { prompt: text },
      fields: [{ label: 'Prompt', value: text, form: 'text' }],
    });
  }

  working(thread: string): void {
    const agent = this.#agents.get(thread);
    if (agent?.closed) this.#patch(agent, { state: this.#isOpen(agent.of) ? 'running' : 'background' });
  }

  ended(thread: string, how: Settled, reply: string): void {
    const agent = this.#agents.get(thread);
    if (!agent) return;
    if (reply !== '') agent.reply = reply;
    const text = agent.reply;
    const [status, state] = ENDS[how];
    agent.closed = true;
    agent.of.scope.out.put({
      kind: 'entry.closed',
      entry: agent.entry,
      status,
      patch: { state, ...(text === '' ? {} : { result: { type: 'agent', text } }) },
    });
  }

  /** The turn ended, but its subagents continue: shown as background work until they end. */
  pause(of: Thread): void {
    for (const [id, agent] of this.#agents) {
      if (agent.of !== of) continue;
      const thread = this.#threadOf(id);
      if (thread) {
        thread.items.settle('paused');
        this.pause(thread);
      }
      if (agent.closed) continue;
      agent.closed = true;
      agent.of.scope.out.put({
        kind: 'entry.closed',
        entry: agent.entry,
        status: 'complete',
        patch: { state: 'background' },
      });
    }
  }

  #link(thread: string, of: Thread, entry: string, prompt: string): Subagent<Thread> {
    const known = this.#agents.get(thread);
    if (known) return known;
    const agent: Subagent<Thread> = { entry, of, prompt, reply: '', closed: !this.#isOpen(of) };
    this.#agents.set(thread, agent);
    return agent;
  }

  #isOpen(of: Thread): boolean {
    return of.turns.current !== undefined;
  }

  #open(of: Thread, title: string): string {
    const entry = of.scope.out.id('agent');
    of.scope.open({
      id: entry,
      kind: 'tool',
      status: this.#isOpen(of) ? 'partial' : 'complete',
      name: 'agent',
      title,
      toolKind: 'agent',
      state: this.#isOpen(of) ? 'running' : 'background',
    });
    return entry;
  }

  #patch(agent: Subagent<Thread>, patch: object): void {
    agent.of.scope.out.put({ kind: 'entry.patched', entry: agent.entry, patch });
  }
}

const ENDS: Readonly<Record<Settled, readonly ['complete' | 'cancelled' | 'failed', ToolState]>> = {
  completed: ['complete', 'done'],
  paused: ['complete', 'background'],
  cancelled: ['cancelled', 'interrupted'],
  failed: ['failed', 'failed'],
};

function isSpawn(item: Fields): boolean {
  return item.type === 'collabAgentToolCall' && item.tool === 'spawnAgent';
}
