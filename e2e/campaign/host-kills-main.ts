/** Runs host kills from the command line with all agents, prints progress and writes the report. */
import { type HostKillsOutcome, hostKills } from './host-kills.ts';
import { type KilledAgent, MOMENTS } from './kill-scripts.ts';
import { writeReport } from './report.ts';

const AGENTS: readonly KilledAgent[] = ['claude', 'codex', 'codex-acp'];
/** A smaller run is a trial; its report doesn't replace the full one. */
const WHOLE = 200;

export interface HostKillsCall {
  readonly seed: number;
  /** Of all agents together. */
  readonly kills: number;
  readonly minutes: number;
}

export async function runHostKills({ seed, kills, minutes: limit }: HostKillsCall): Promise<boolean> {
  const began = performance.now();
  const minutes = () => ((performance.now() - began) / 60_000).toFixed(1);
  const log = (words: string) => console.log(`${minutes()} min: ${words}`);
  // In parallel: each has a separate deck and mostly waits.
  const outcomes = await Promise.all(
    AGENTS.map((agent, at) => {
      const share = Math.floor((kills + at) / AGENTS.length);
      return hostKills({ agent, kills: share, seed: seed + at, minutes: limit, log });
    }),
  );
  const problems = outcomes.flatMap((one) => one.problems);
  const orphans = outcomes.reduce((sum, one) => sum + one.orphans, 0);
  const done = outcomes.flatMap((one) => Object.values(one.kills)).reduce((sum, some) => sum + some, 0);
  const file = writeReport({
    name: done >= WHOLE ? 'host-kills' : 'host-kills-short',
    title: `${done} kills of session hosts with real agents`,
    command: `npm run faults -- --host-kills ${kills} --seed ${seed}`,
    rows: [
      ...outcomes.flatMap(rowsOf),
      ['minutes', minutes()],
      ['violated invariants', problems.length],
      ['processes left over', orphans],
    ],
    problems,
    notes: [
      'After each kill one more prompt was sent. The context in its model request was compared with the journal, a page that stayed open and the export; commands that ran were compared with what is drawn.',
      'Without subagents in Codex, alone or by ACP: the scripted model has no tool of Codex that starts one.',
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

function rowsOf({
  agent,
  kills,
  unwatched,
  recovered,
  endedMs,
  slowestMs,
}: HostKillsOutcome): [string, string | number][] {
  const at = (share: number) => Math.round(endedMs[Math.floor((endedMs.length - 1) * share)] ?? 0);
  return [
    ...MOMENTS.flatMap((moment): [string, number][] =>
      kills[moment] === undefined ? [] : [[`${agent}: ${moment}`, kills[moment]]],
    ),
    [`${agent}: of them with the watchdog killed too`, unwatched],
    [`${agent}: entries recovered from its session file`, recovered],
    [
      `${agent}: from the kill until nothing of the agent ran, median and longest, ms`,
      `${at(0.5)}, ${at(1)}`,
    ],
    [`${agent}: slowest from a prompt to its moment, s`, (slowestMs / 1000).toFixed(1)],
  ];
}
