/**
 * A simulated session host for tests: speaks HostLink, keeps every durable change, replies with changes or a small
 * snapshot, and misbehaves on request. Its agent is the random one of protocol.
 */
import { APPEND_FIELDS, type Append } from '@tugdeck/protocol/conversation/changes';
import type { Command } from '@tugdeck/protocol/conversation/commands';
import { decide, isRepeated } from '@tugdeck/protocol/conversation/decide';
import { entriesFrom } from '@tugdeck/protocol/conversation/entry-store';
import { fieldText } from '@tugdeck/protocol/conversation/fold';
import { type Conversation, entryById, openEntries } from '@tugdeck/protocol/conversation/state';
import { takeSnapshot } from '@tugdeck/protocol/conversation/window';
import type { HostMessage, HostRequest } from '@tugdeck/protocol/wire/host-link';
import { createRandomHost, type RandomHost, type Step } from '../../protocol/test/random-conversation.ts';

export interface HostHabits {
  /** Number of changes kept; clients further back get a snapshot. */
  memory: number;
  /** Entries in a snapshot's tail, and at most in a page. */
  tail: number;
  /** Whether a page is sent only after the next step, with the version it was read at. */
  latePages: boolean;
  /** What happens to a published message on its way to one client. */
  fate: (message: HostMessage) => 'pass' | 'drop' | 'twice';
}

export class HostLink {
  following = false;
  behind = false;
  readonly send: (message: HostMessage) => void;

  constructor(send: (message: HostMessage) => void) {
    this.send = send;
  }
}

export class SimulatedHost {
  readonly agent: RandomHost;
  readonly links = new Set<HostLink>();
  readonly habits: HostHabits = { memory: 8, tail: 12, latePages: false, fate: () => 'pass' };
  /** All requests of all clients, in order. */
  readonly requests: HostRequest[] = [];
  /** How often each command took effect. */
  readonly effects = new Map<string, number>();
  #late: (() => void)[] = [];

  constructor(seed: number) {
    this.agent = createRandomHost(seed);
  }

  get state(): Conversation {
    return this.agent.state;
  }

  step(): Step {
    const step = this.agent.step();
    this.publish(step);
    return step;
  }

  stepUntil(isDone: () => boolean): void {
    for (let left = 20_000; left > 0 && !isDone(); left--) this.step();
    if (!isDone()) throw new Error('the random agent never came there');
  }

  publish(message: Step): void {
    const copy = structuredClone(message) as HostMessage;
    for (const link of this.links) {
      if (!link.following || link.behind) continue;
      const fate = this.habits.fate(copy);
      if (fate !== 'drop') link.send(copy);
      if (fate === 'twice') link.send(copy);
    }
    const late = this.#late;
    this.#late = [];
    for (const send of late) send();
  }

  /** Drops messages as after congestion and sends `behind`. */
  catchUp(link: HostLink): void {
    link.behind = false;
    link.following = false;
    link.send({ type: 'behind', v: this.state.v });
  }

  request(link: HostLink, request: HostRequest): void {
    this.requests.push(request);
    switch (request.type) {
      case 'follow':
        link.following = true;
        link.behind = false;
        this.#follow(link, request);
        return;
      case 'command':
        this.#command(link, request.command);
        return;
      case 'entries':
        this.#page(link, request.before, request.limit);
        return;
      case 'text': {
        const entry = entryById(this.state, request.entry);
        const text = entry ? fieldText(entry, request.field).slice(request.from) : '';
        const { entry: id, field, from: at } = request;
        link.send({ type: 'live', appends: [{ entry: id, field, at, text }] });
        return;
      }
      default:
        return;
    }
  }

  #follow(link: HostLink, { v, have = [] }: Extract<HostRequest, { type: 'follow' }>): void {
    const { state, agent, habits } = this;
    const known = v !== undefined && v <= state.v && state.v - v <= habits.memory;
    if (known) link.send({ type: 'changes', changes: agent.changes.slice(v) });
    else
      link.send({ type: 'snapshot', snapshot: takeSnapshot(state, { tail: habits.tail, receipts: false }) });
    const appends: Append[] = [];
    for (const entry of openEntries(state)) {
      for (const field of APPEND_FIELDS) {
        const text = fieldText(entry, field);
        const length = have.find((one) => one.entry === entry.id && one.field === field)?.length ?? 0;
        if (length < text.length) {
          appends.push({ entry: entry.id, field, at: length, text: text.slice(length) });
        }
      }
    }
    if (appends.length > 0) link.send({ type: 'live', appends });
  }

  #command(link: HostLink, command: Command): void {
    const receipt = { type: 'receipt', command: command.id } as const;
    if (isRepeated(this.state, command)) {
      link.send({ ...receipt, v: this.state.v });
      return;
    }
    const { refusal } = decide(this.state, command);
    if (refusal !== undefined) {
      link.send({ ...receipt, v: this.state.v, refusal });
      return;
    }
    const step = this.agent.command(command);
    if (step) this.publish(step);
    this.effects.set(command.id, (this.effects.get(command.id) ?? 0) + 1);
    link.send({ ...receipt, v: this.state.v });
  }

  #page(link: HostLink, before: number, limit: number): void {
    const { v, entries } = this.state;
    const from = Math.max(0, before - Math.min(limit, this.habits.tail));
    const page = {
      v,
      from,
      to: before,
      entries: [...entriesFrom(entries, from)].filter(({ seq }) => seq < before),
    };
    const send = () => link.send({ type: 'entries', page });
    if (this.habits.latePages) this.#late.push(send);
    else send();
  }
}
