/**
 * Two limits (D40, D41): how many turns run at once and how many agents run at once. Waiting sessions are queued by the
 * time of their prompt, which their journal has; the machine stores nothing, so a new server continues with the same
 * order. Sessions that need the user or are idle take no slot.
 */
import { totalmem } from 'node:os';
import type { Log } from '@tugdeck/local/log';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import type { Configuration } from '../configuration.ts';
import { hasAgent, isIdle, type LiveHost, type LiveHosts, longestIdle } from './live-host.ts';

export interface SlotLimits {
  /** Turns that may run at once. */
  readonly turns: number;
  /** Agents that may run at once. */
  readonly agents: number;
}

export interface SlotsOptions {
  readonly live: LiveHosts;
  readonly limits: () => SlotLimits;
  /** Ends an idle host; it refuses if a prompt has just arrived. */
  readonly endIfIdle: (session: string) => boolean;
  readonly log: Log;
}

const DEFAULT_TURNS = 16;
/** An agent with its host. */
const AGENT_BYTES = 250 * 1024 * 1024;
/** Hosts whose prompts are queued, beyond the agents that may run. */
const QUEUED_HOSTS = 64;
const AGENTS = { min: 4, max: 64 };

/** Half of the memory is for agents. */
export function defaultAgents(memory = availableMemory()): number {
  return Math.min(AGENTS.max, Math.max(AGENTS.min, Math.floor(memory / 2 / AGENT_BYTES)));
}

/** Of the machine, or of its container. */
function availableMemory(): number {
  const constrained = process.constrainedMemory?.() ?? 0;
  return constrained > 0 ? Math.min(constrained, totalmem()) : totalmem();
}

export function slotLimits({ maxTurns, maxLiveHosts }: Configuration): SlotLimits {
  return { turns: maxTurns ?? DEFAULT_TURNS, agents: maxLiveHosts ?? defaultAgents() };
}

export class Slots {
  readonly #options: SlotsOptions;
  /** Granted, and the host has not acknowledged it yet. */
  readonly #granted = new Set<string>();
  /** The last place that each host was sent, with the time of its prompt. */
  readonly #places = new Map<string, string>();
  #isOpen = false;

  constructor(options: SlotsOptions) {
    this.#options = options;
  }

  /** All hosts of an earlier server are known: grants before would be out of order. */
  open(): void {
    this.#isOpen = true;
    this.review();
  }

  /** Whether the agent of a session may be started in advance, for a user who is typing. */
  hasRoom(session: string): boolean {
    const { live, limits } = this.#options;
    const host = live.get(session);
    if (host && hasAgent(host)) return true;
    const hosts = [...live.values()];
    return this.#agents(hosts) < limits().agents || longestIdle(hosts) !== undefined;
  }

  /** Throws if no further host may start, not even for a prompt that is queued. */
  assertRoom(): void {
    const hosts = this.#hosts();
    if (hosts.length < this.#options.limits().agents + QUEUED_HOSTS || longestIdle(hosts)) return;
    throw new CodedError(
      'TOO_MANY',
      `${hosts.length} sessions are working or queued, which is the limit.`,
      'Wait until one finishes, or raise maxLiveHosts in config.json.',
    );
  }

  /** Before a host starts: ends an idle one at the limit. Without one, the new host's prompts are queued. */
  makeRoom(): void {
    this.assertRoom();
    const hosts = this.#hosts();
    if (hosts.length < this.#options.limits().agents) return;
    const oldest = longestIdle(hosts);
    if (!oldest || !this.#options.endIfIdle(oldest.session)) return;
    this.#options.log.info('ended the longest-idle host', { session: oldest.session });
  }

  /** Lower limits end idle agents at once. */
  limitsChanged(): void {
    const hosts = [...this.#options.live.values()];
    this.#endIdle(hosts, this.#agents(hosts) - this.#options.limits().agents);
    this.review();
  }

  /** A host reported its summary. */
  reported(session: string): void {
    const host = this.#options.live.get(session);
    if (host?.summary?.slot === undefined) {
      this.#granted.delete(session);
      this.#places.delete(session);
    }
    // It had work, so it ignored the request to end.
    if (host?.end === 'if-idle' && !isIdle(host)) host.end = 'no';
    this.review();
  }

  ended(session: string): void {
    this.#granted.delete(session);
    this.#places.delete(session);
    this.review();
  }

  /** Grants free slots in order, makes room for agents, and sends the others their place. */
  review(): void {
    if (!this.#isOpen) return;
    const { live } = this.#options;
    const limits = this.#options.limits();
    const hosts = [...live.values()];
    let turns = hosts.filter((host) => this.#isWorking(host)).length;
    let agents = this.#agents(hosts);
    let ahead = 0;
    for (const host of waitingHosts(hosts)) {
      if (this.#granted.has(host.session)) continue;
      const needsAgent = !hasAgent(host);
      const isFree = ahead === 0 && turns < limits.turns;
      if (isFree && (!needsAgent || agents < limits.agents)) {
        this.#grant(host);
        turns++;
        if (needsAgent) agents++;
        continue;
      }
      // The first queued session waits for the process that ends, so that no other is granted first.
      if (isFree) this.#endIdle(hosts, agents - limits.agents + 1);
      this.#sendPlace(host, ahead);
      ahead++;
    }
  }

  #hosts(): LiveHost[] {
    return [...this.#options.live.values()].filter(({ end }) => end !== 'now');
  }

  #isWorking({ session, summary }: LiveHost): boolean {
    if (!summary || this.#granted.has(session)) return true;
    if (summary.turn !== 'idle') return summary.waiting === 0;
    // Granted, and the agent is starting.
    return summary.slot === undefined && (summary.queued ?? 0) > 0 && hasAgent({ summary } as LiveHost);
  }

  #agents(hosts: readonly LiveHost[]): number {
    return hosts.filter((host) => hasAgent(host) || this.#granted.has(host.session)).length;
  }

  #endIdle(hosts: readonly LiveHost[], count: number): void {
    const withAgent = hosts.filter(hasAgent);
    const ending = withAgent.filter(({ end }) => end !== 'no').length;
    for (let missing = count - ending; missing > 0; missing--) {
      const oldest = longestIdle(withAgent.filter(({ end }) => end === 'no'));
      if (!oldest || !this.#options.endIfIdle(oldest.session)) return;
      this.#options.log.info('ended the longest-idle host', { session: oldest.session });
    }
  }

  #grant(host: LiveHost): void {
    this.#granted.add(host.session);
    this.#places.delete(host.session);
    host.watch?.send({ type: 'slot', granted: true });
  }

  #sendPlace(host: LiveHost, ahead: number): void {
    const place = `${host.summary?.slot?.since} ${ahead}`;
    if (this.#places.get(host.session) === place) return;
    this.#places.set(host.session, place);
    host.watch?.send({ type: 'slot', granted: false, ahead });
  }
}

function waitingHosts(hosts: readonly LiveHost[]): LiveHost[] {
  const since = ({ summary }: LiveHost) => summary?.slot?.since ?? 0;
  return hosts
    .filter(({ summary, end }) => summary?.slot !== undefined && end !== 'now')
    .sort((a, b) => since(a) - since(b) || (a.session < b.session ? -1 : 1));
}
