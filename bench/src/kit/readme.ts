/** Generates the table in docs/benchmarks/README.md from the figures beside it. */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { reasonFor } from './reasons.ts';
import type { BenchResult } from './result.ts';

const BEGIN = '<!-- figures -->';
const END = '<!-- end of figures -->';

export async function updateReadme(folder: string, order: readonly string[]): Promise<void> {
  const file = join(folder, 'README.md');
  const text = await readFile(file, 'utf8');
  const [before, rest = ''] = text.split(BEGIN);
  const after = rest.split(END)[1];
  if (before === undefined || after === undefined) throw new Error(`${file} has no ${BEGIN} … ${END}`);
  const names = (await readdir(folder)).filter((name) => name.endsWith('.json'));
  const results = await Promise.all(
    names.map(async (name) => JSON.parse(await readFile(join(folder, name), 'utf8')) as BenchResult),
  );
  results.sort((a, b) => order.indexOf(a.name) - order.indexOf(b.name));
  const head =
    '| benchmark | comparison | measured | goal | | rounds | load |\n|---|---|---|---|---|---|---|';
  const rows = results.flatMap(rowsOf);
  await writeFile(file, `${before}${BEGIN}\n${head}\n${rows.join('\n')}\n${END}${after}`);
}

function rowsOf({ name, judgements, unjudged, rounds, load }: BenchResult): string[] {
  return judgements.map(({ name: what, ratio, goal, met }) => {
    const why = reasonFor(name, what);
    const missed = `**missed**${why === undefined ? '' : `: ${why}`}`;
    const verdict = unjudged ? 'too busy to judge' : met ? 'met' : missed;
    return `| [${name}](${name}.svg) | ${what} | ${ratio} | ≤ ${goal} | ${verdict} | ${rounds} | ${load[0]} |`;
  });
}
