/** Runs kills of session hosts or agents from the command line, prints progress and writes the report. */
import { type HostKillsOutcome, hostKills } from './host-kills.ts';
import { KILLED_AGENTS, type KilledAgent, MOMENTS } from './kill-scripts.ts';
import { writeReport } from './report.ts';

/** A smaller run is a trial; its report doesn't replace the full one. */
const WHOLE = { host: 200, agent: 100 };

export interface HostKillsCall {
  readonly seed: number;
  /** Of all agents together. */
  readonly kills: number;
  readonly minutes: number;
  /** Which process is killed. */
  readonly victim: 'host' | 'agent';
  readonly agents: readonly KilledAgent[];
}

export async function runHostKills(call: HostKillsCall): Promise<boolean> {
  const { seed, kills, minutes: limit, victim, agents } = call;
  const began = performance.now();
  const minutes = () => ((performance.now() - began) / 60_000).toFixed(1);
  const log = (words: string) => console.log(`${minutes()} min: ${words}`);
  // In parallel: each has a separate deck and mostly waits.
  const outcomes = await Promise.all(
    agents.map((agent, at) => {
      const share = Math.floor((kills + at) / agents.length);
      return hostKills({ agent, victim, kills: share, seed: seed + at, minutes: limit, log });
    }),
  );
  const problems = outcomes.flatMap((one) => one.problems);
  const orphans = outcomes.reduce((sum, one) => sum + one.orphans, 0);
  const done = outcomes.flatMap((one) => Object.values(one.kills)).reduce((sum, some) => sum + some, 0);
  const file = writeReport({
    name: `${victim}-kills${done >= WHOLE[victim] ? '' : '-short'}`,
    title: `${done} kills of ${victim === 'host' ? 'session hosts with real agents' : 'real agents'}`,
    command: commandLine(call),
    rows: [
      ...outcomes.flatMap((one) => rowsOf(one, victim)),
      ['minutes', minutes()],
      ['violated invariants', problems.length],
      ['processes left over', orphans],
    ],
    problems,
    notes: [
      'After each kill one more prompt was sent. The context in its model request was compared with the journal, a page that stayed open and the export; commands that ran were compared with what is drawn.',
      'Without subagents of Codex by ACP.',
    ],
    samples: [],
    figures: {
      seed,
      endedMs: Object.fromEntries(outcomes.map(({ agent, endedMs }) => [agent, endedMs.map(Math.round)])),
    },
  });
  console.log(JSON.stringify(outcomes, null, 2));
  console.log(`${done} kills in ${minutes()} min: ${file}`);
  return problems.length + orphans === 0;
}

function commandLine({ kills, seed, victim, agents }: HostKillsCall): string {
  return [
    `npm run faults -- --host-kills ${kills} --seed ${seed}`,
    ...(victim === 'host' ? [] : ['--victim agent']),
    ...(agents.length === KILLED_AGENTS.length ? [] : [`--agents ${agents.join(',')}`]),
  ].join(' ');
}

function rowsOf(
  { agent, kills, unwatched, recovered, endedMs, slowestMs }: HostKillsOutcome,
  victim: 'host' | 'agent',
): [string, string | number][] {
  const at = (share: number) => Math.round(endedMs[Math.floor((endedMs.length - 1) * share)] ?? 0);
  // The watchdog ends with its host only, and only a host reads the file again.
  const ofHosts: [string, number][] = [
    [`${agent}: of them with the watchdog killed too`, unwatched],
    [`${agent}: entries recovered from its session file`, recovered],
  ];
  return [
    ...MOMENTS.flatMap((moment): [string, number][] =>
      kills[moment] === undefined ? [] : [[`${agent}: ${moment}`, kills[moment]]],
    ),
    ...(victim === 'host' ? ofHosts : []),
    [
      `${agent}: from the kill until nothing of the agent ran, median and longest, ms`,
      `${at(0.5)}, ${at(1)}`,
    ],
    [`${agent}: slowest from a prompt to its moment, s`, (slowestMs / 1000).toFixed(1)],
  ];
}
