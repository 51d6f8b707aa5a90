/**
 * Writes the results of the agents' tests as the table in docs/agents.md. Only a test that has just seen a result writes
 * its cell; a dash means not seen. A partial run replaces its own cells and keeps the others.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { findAgent } from '@tugdeck/agents/catalog';
import { agentVersion, OTHER_AGENTS, type OtherAgent, whyMissing } from '@tugdeck/testkit/agents';

const ROWS = [
  'Protocol',
  'Driver contract',
  'Text, streamed',
  'Thoughts',
  'Shell, allowed',
  'Shell, denied',
  'Edit, allowed, with its diff',
  'Edit, denied',
  'Cancel in the stream',
  'Cancel in a command',
  'Cancel while it asks',
  'Image in a prompt',
  'MCP server',
  'Modes',
  'Models',
  'Commands',
  'Questions',
  'Two sessions at once',
  'Model error',
  'Resumes after a restart',
  'Its own sessions are listed',
  'A listed session is read and continued',
  'A copy of a session',
  'Nothing left: normal end',
  'Nothing left: end after a canceled command',
  'Nothing left: kill -9 of the agent',
  'Nothing left: kill -9 of the host',
  'Nothing left: kill -9 of the server, then stop --all',
] as const;
export type Row = (typeof ROWS)[number];

const NOT_SEEN = '–';
const seen = new Map<OtherAgent, Map<string, string>>(OTHER_AGENTS.map((agent) => [agent, new Map()]));

/** Clears these cells: only results of this run count. */
export function began(agent: OtherAgent, rows: readonly Row[]): void {
  for (const row of rows) if (!seen.get(agent)?.has(row)) saw(agent, row, NOT_SEEN);
}

export function saw(agent: OtherAgent, row: Row, what = 'yes'): void {
  seen.get(agent)?.set(row, what);
}

const file = fileURLToPath(new URL('../../docs/agents.md', import.meta.url));

const head = (agent: OtherAgent): string => `${findAgent(agent)?.label ?? agent} ${agentVersion(agent)}`;
const line = (texts: readonly string[]): string => `| ${texts.join(' | ')} |`;
const cellsOf = (text: string): string[] => text.slice(2, -2).split(' | ');

/** The column of an agent in the file, unless it was written for another version. */
function written(agent: OtherAgent): Map<string, string> {
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
  const [heads = [], , ...rows] = lines.filter((text) => text.startsWith('|')).map(cellsOf);
  const column = heads.indexOf(head(agent));
  return new Map(column < 1 ? [] : rows.map((cells) => [cells[0] ?? '', cells[column] ?? NOT_SEEN]));
}

export function writeMatrix(): void {
  const columns = OTHER_AGENTS.map((agent) => new Map([...written(agent), ...(seen.get(agent) ?? [])]));
  const missing = OTHER_AGENTS.flatMap((agent) => whyMissing(agent) ?? []);
  const text = [
    '# Agents, as seen',
    '',
    'Written by `TUGDECK_TEST_FULL=1 npx vitest run --project e2e e2e/agents`, never by hand: each cell is what a test',
    'saw of the real agent through server and browser, started as the catalog says, with a scripted model behind it.',
    'Lists, forks, canceled commands and kills of an agent are tested at the driver. A dash means not seen.',
    '',
    line(['Seen', ...OTHER_AGENTS.map(head)]),
    line(['---', ...OTHER_AGENTS.map(() => '---')]),
    ...ROWS.map((row) => line([row, ...columns.map((column) => column.get(row) ?? NOT_SEEN)])),
    '',
    ...missing.map((why) => `- Not tested: ${why}.`),
  ];
  writeFileSync(file, `${text.join('\n').trimEnd()}\n`);
}
