/**
 * `npm run bench [-- name… --quick --rounds N --check]`: runs the named benchmarks, or all, one after the other;
 * prints each and writes its figures and plot to docs/benchmarks/. `--check` writes nothing: it exits with 1 if a
 * ratio is more than 20% above the stored one, and with 3 if the machine was too busy to judge.
 */
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { closeBrowser } from '@tugdeck/testkit/browser';
import { absolutes } from './absolutes.ts';
import { card } from './card/card.ts';
import { checkpoints } from './checkpoints.ts';
import { codex } from './codex/codex.ts';
import { driver } from './driver/driver.ts';
import { files } from './files.ts';
import { fleet } from './fleet.ts';
import { fold } from './fold.ts';
import { gitStatus } from './git-status.ts';
import { home } from './home/home.ts';
import { hosts } from './hosts/hosts.ts';
import { idle } from './idle.ts';
import { plot } from './kit/plot.ts';
import { resultLines } from './kit/print.ts';
import { updateReadme } from './kit/readme.ts';
import { regressions } from './kit/regressions.ts';
import type { Benchmark, BenchResult } from './kit/result.ts';
import { latency } from './latency/latency.ts';
import { wire } from './latency/wire.ts';
import { machines } from './machines.ts';
import { open } from './open/open.ts';
import { peers } from './peers/peers.ts';
import { reader } from './reader/reader.ts';
import { runningTurns } from './reader/running-turns.ts';
import { transcripts } from './reader/transcripts.ts';
import { reconnect } from './reconnect.ts';
import { sidebar } from './sidebar/sidebar.ts';
import { start } from './start.ts';
import { streaming } from './streaming/streaming.ts';
import { terminal } from './terminal/terminal.ts';
import { workspaces } from './workspaces.ts';

const BENCHMARKS: readonly Benchmark[] = [
  fold,
  driver,
  codex,
  streaming,
  latency,
  wire,
  machines,
  fleet,
  start,
  open,
  hosts,
  sidebar,
  home,
  card,
  reconnect,
  reader,
  transcripts,
  runningTurns,
  gitStatus,
  checkpoints,
  workspaces,
  terminal,
  absolutes,
  files,
  idle,
  peers,
];
const FOLDER = fileURLToPath(new URL('../../docs/benchmarks/', import.meta.url));

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    check: { type: 'boolean', default: false },
    rounds: { type: 'string' },
  },
});
const unknown = positionals.filter((name) => !BENCHMARKS.some((one) => one.name === name));
if (unknown.length > 0) {
  console.error(
    `No benchmark ${unknown.join(', ')}. There are: ${BENCHMARKS.map(({ name }) => name).join(', ')}`,
  );
  process.exit(2);
}

const options = {
  rounds: Number(values.rounds ?? (values.quick ? 2 : 5)),
  runs: Number(values.rounds ?? (values.quick ? 5 : 20)),
  quick: values.quick,
  log: (line: string) => console.log(`    ${line}`),
};
const results: BenchResult[] = [];
try {
  for (const benchmark of BENCHMARKS) {
    const isSelected = positionals.length > 0 ? positionals.includes(benchmark.name) : !benchmark.isOptional;
    if (!isSelected) continue;
    console.log(`\n${benchmark.name} …`);
    const result = await benchmark.run(options);
    for (const line of resultLines(result)) console.log(line);
    results.push(result);
    if (!values.check) await save(result);
  }
  if (!values.check) {
    await updateReadme(
      FOLDER,
      BENCHMARKS.map(({ name }) => name),
    );
  }
} finally {
  await closeBrowser();
}
if (values.check) {
  const worse = await Promise.all(results.map(async (one) => regressions(one, await stored(one.name))));
  for (const line of worse.flat()) console.log(`WORSE  ${line}`);
  process.exitCode = worse.flat().length > 0 ? 1 : results.some(({ unjudged }) => unjudged) ? 3 : 0;
}

async function stored(name: string): Promise<BenchResult | undefined> {
  const file = join(FOLDER, `${name}.json`);
  return existsSync(file) ? (JSON.parse(await readFile(file, 'utf8')) as BenchResult) : undefined;
}

async function save(result: BenchResult): Promise<void> {
  await mkdir(FOLDER, { recursive: true });
  const figures = { node: process.version, ...result };
  await writeFile(join(FOLDER, `${result.name}.json`), `${readable(figures)}\n`);
  await writeFile(join(FOLDER, `${result.name}.svg`), plot(result));
}

/** Formatted like our formatter: lists of figures on one line. */
function readable(value: unknown): string {
  return JSON.stringify(value, undefined, 2).replace(
    /\[([^[\]{}]*)\]/g,
    (_, list: string) => `[${list.trim().replace(/\s+/g, ' ')}]`,
  );
}
