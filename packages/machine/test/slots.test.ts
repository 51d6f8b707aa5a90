import type { Summary } from '@tugdeck/protocol/conversation/summarize';
import { describe, expect, test } from 'vitest';
import type { LiveHost, LiveHosts } from '../src/hosts/live-host.ts';
import { defaultAgents, Slots, slotLimits } from '../src/hosts/slots.ts';

const IDLE: Summary = {
  v: 1,
  agentState: 'connected',
  turn: 'idle',
  waiting: 0,
  entries: 1,
  changedAt: 0,
};

function fixture(limits: { turns: number; agents: number }, { isOpen = true } = {}) {
  const live: LiveHosts = new Map();
  const sent: string[] = [];
  const ended: string[] = [];
  let current = limits;
  const slots = new Slots({
    live,
    limits: () => current,
    endIfIdle: (session) => {
      ended.push(session);
      const host = live.get(session);
      if (host) host.end = 'if-idle';
      return true;
    },
    log: { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined },
  });
  if (isOpen) slots.open();
  const report = (session: string, change: Partial<Summary> = {}) => {
    const host: LiveHost = live.get(session) ?? {
      session,
      record: {} as LiveHost['record'],
      address: {} as LiveHost['address'],
      watch: {
        send: (request) => {
          if (request.type === 'slot') sent.push(`${session} ${request.granted ? 'granted' : request.ahead}`);
        },
        pause: () => undefined,
        resume: () => undefined,
        close: () => undefined,
      },
      summary: undefined,
      summaryAt: 0,
      end: 'no',
    };
    host.summary = { ...IDLE, ...change };
    live.set(session, host);
    slots.reported(session);
  };
  const end = (session: string) => {
    live.delete(session);
    slots.ended(session);
  };
  const change = (next: typeof limits) => {
    current = next;
    slots.limitsChanged();
  };
  return { slots, report, end, change, sent: () => sent.splice(0), ended: () => ended.splice(0) };
}

const working = { turn: 'running' } as const;
const waiting = { turn: 'waiting', waiting: 1 } as const;
const wants = (since: number, ahead?: number) =>
  ({ agentState: 'idle', queued: 1, slot: ahead === undefined ? { since } : { since, ahead } }) as const;

describe('turns', () => {
  test('D40 grants while there is a slot, then sends places, and grants in the order of the prompts', () => {
    const { report, sent } = fixture({ turns: 2, agents: 10 });
    report('a', working);
    report('b', wants(1));
    expect(sent()).toEqual(['b granted']);
    report('d', wants(4));
    report('c', wants(3));
    expect(sent()).toEqual(['d 0', 'c 0', 'd 1']);
    report('a');
    expect(sent()).toContain('c granted');
  });

  test('D40 a session that needs the user or is idle takes no slot', () => {
    const { report, sent } = fixture({ turns: 1, agents: 10 });
    report('a', waiting);
    report('b');
    report('c', wants(1));
    expect(sent()).toEqual(['c granted']);
  });

  test('D40 a granted slot counts before the host has acknowledged it, and while its agent starts', () => {
    const { report, sent } = fixture({ turns: 1, agents: 10 });
    report('a', wants(1));
    report('b', wants(2));
    report('a', { agentState: 'starting', queued: 1 });
    report('b', wants(2, 0));
    expect(sent()).toEqual(['a granted', 'b 0']);
  });

  test('D40 a new server grants nothing before it knows all hosts, then in the same order', () => {
    const { slots, report, sent } = fixture({ turns: 1, agents: 10 }, { isOpen: false });
    report('late', wants(5, 1));
    report('early', wants(2, 0));
    expect(sent()).toEqual([]);
    slots.open();
    expect(sent()).toEqual(['early granted', 'late 0']);
  });

  test('D40 a host that dies frees its slot', () => {
    const { report, end, sent } = fixture({ turns: 1, agents: 10 });
    report('a', working);
    report('b', wants(1));
    sent();
    end('a');
    expect(sent()).toEqual(['b granted']);
  });
});

describe('agents', () => {
  test('D41 ends the longest-idle agent for the first queued session and grants when it is gone', () => {
    const { report, end, sent, ended } = fixture({ turns: 10, agents: 2 });
    report('older', { changedAt: 1 });
    report('newer', { changedAt: 2 });
    report('c', wants(5));
    expect(ended()).toEqual(['older']);
    expect(sent()).toEqual(['c 0']);
    report('newer', { changedAt: 2 });
    expect(ended()).toEqual([]);
    end('older');
    expect(sent()).toEqual(['c granted']);
  });

  test('D41 never ends an agent that works, needs the user or has a prompt', () => {
    const { report, sent, ended } = fixture({ turns: 10, agents: 3 });
    report('a', working);
    report('b', waiting);
    report('c', { queued: 1 });
    report('d', wants(1));
    expect(ended()).toEqual([]);
    expect(sent()).toEqual(['d 0']);
  });

  test('D41 a running agent needs no room for its next turn', () => {
    const { report, sent } = fixture({ turns: 10, agents: 1 });
    report('a', { ...wants(1), agentState: 'connected' });
    expect(sent()).toEqual(['a granted']);
  });

  test('D41 a lower limit ends idle agents, and hasRoom is false while all are busy', () => {
    const { slots, report, change, ended } = fixture({ turns: 10, agents: 3 });
    report('a', { changedAt: 1 });
    report('b', { changedAt: 2 });
    report('c', working);
    change({ turns: 10, agents: 2 });
    expect(ended()).toEqual(['a']);
    report('a', working);
    report('b', working);
    expect(slots.hasRoom('d')).toBe(false);
    expect(slots.hasRoom('a')).toBe(true);
  });

  test('D41 the limit follows memory, and settings override both', () => {
    const gigabyte = 1024 ** 3;
    expect([1, 8, 16, 1000].map((size) => defaultAgents(size * gigabyte))).toEqual([4, 16, 32, 64]);
    expect(slotLimits({ maxTurns: 3, maxLiveHosts: 5 })).toEqual({ turns: 3, agents: 5 });
    expect(slotLimits({}).turns).toBe(16);
  });

  test('D41 no host starts while the queue is full: TOO_MANY', () => {
    const { slots, report } = fixture({ turns: 1, agents: 1 });
    for (let index = 0; index < 64; index++) report(`s${index}`, { ...wants(index), agentState: 'idle' });
    expect(() => slots.assertRoom()).not.toThrow();
    report('one-more', wants(100));
    expect(() => slots.assertRoom()).toThrowError(expect.objectContaining({ code: 'TOO_MANY' }));
  });
});
