/** A run's report in `docs/reports/`: figures as JSON, curves as SVG, and a Markdown page. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { curvesSvg, type Sample } from './curves.ts';

const FOLDER = fileURLToPath(new URL('../../docs/reports/', import.meta.url));

export interface Report {
  /** Base name of the report's files. */
  readonly name: string;
  readonly title: string;
  /** How to repeat it. */
  readonly command: string;
  readonly rows: readonly (readonly [what: string, figure: string | number])[];
  readonly problems: readonly string[];
  readonly notes: readonly string[];
  readonly samples: readonly Sample[];
  readonly figures: Readonly<Record<string, unknown>>;
}

export function writeReport(report: Report): string {
  const { name, title, command, rows, problems, notes, samples, figures } = report;
  mkdirSync(FOLDER, { recursive: true });
  const machine = `${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GB, Node ${process.version}`;
  const taken = new Date().toISOString().slice(0, 16).replace('T', ' ');
  const page = [
    `# ${title}`,
    '',
    `Taken ${taken} UTC on ${machine} by \`${command}\`.`,
    '',
    '| what | seen |',
    '|---|---|',
    ...rows.map(([what, figure]) => `| ${what} | ${figure} |`),
    '',
    problems.length === 0 ? 'No invariant was violated.' : 'Violated:',
    '',
    ...problems.map((words) => `- ${words}`),
    ...(problems.length === 0 ? [] : ['']),
    ...notes.flatMap((note) => [note, '']),
    ...(samples.length === 0 ? [] : [`![Memory and descriptors over time](${name}.svg)`, '']),
  ];
  writeFileSync(join(FOLDER, `${name}.md`), page.join('\n'));
  if (samples.length > 0) writeFileSync(join(FOLDER, `${name}.svg`), curvesSvg(title, samples));
  const json = { machine, taken, command, ...Object.fromEntries(rows), ...figures, problems, samples };
  writeFileSync(
    join(FOLDER, `${name}.json`),
    `{\n${Object.entries(json)
      .map(([key, value]) => `${JSON.stringify(key)}: ${JSON.stringify(value)}`)
      .join(',\n')}\n}\n`,
  );
  return join(FOLDER, `${name}.md`);
}
