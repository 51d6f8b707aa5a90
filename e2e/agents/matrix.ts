/**
 * Writes the results of the agents' tests as the tables in docs/agents.md. Only a test that has just seen a result writes
 * its cell; a dash means not seen. A partial run replaces its own cells and keeps the others.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { findAgent } from '@tugdeck/agents/catalog';
import { agentVersion, REAL_AGENTS, type RealAgent, whyMissing } from '@tugdeck/testkit/agents';

const FLOWS = [
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

export const SETUP = [
  'MCP servers',
  'Permission rules',
  'Memory files',
  'Hooks',
  'Skills',
  'Subagents',
  'Slash commands',
  'Plugins',
  'Output styles',
] as const;
export type SetupRow = (typeof SETUP)[number];
export type Row = (typeof FLOWS)[number] | SetupRow;

const TABLES: readonly { first: string; rows: readonly Row[]; agents: readonly RealAgent[] }[] = [
  { first: 'Seen', rows: FLOWS, agents: REAL_AGENTS },
  { first: 'Setup', rows: SETUP, agents: ['claude', 'codex', 'gemini', 'opencode'] },
];

const NOT_SEEN = '–';
const seen = new Map<RealAgent, Map<string, string>>(REAL_AGENTS.map((agent) => [agent, new Map()]));

/** Clears these cells: only results of this run count. */
export function began(agent: RealAgent, rows: readonly Row[]): void {
  for (const row of rows) if (!seen.get(agent)?.has(row)) saw(agent, row, NOT_SEEN);
}

export function saw(agent: RealAgent, row: Row, what = 'yes'): void {
  seen.get(agent)?.set(row, what);
}

const file = fileURLToPath(new URL('../../docs/agents.md', import.meta.url));

const head = (agent: RealAgent): string => `${findAgent(agent)?.label ?? agent} ${agentVersion(agent)}`;
const line = (texts: readonly string[]): string => `| ${texts.join(' | ')} |`;
const cellsOf = (text: string): string[] => text.slice(2, -2).split(' | ');

/** The column of an agent in a table of the file, unless it was written for another version. */
function written(first: string, agent: RealAgent): Map<string, string> {
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const table = text.split('\n\n').find((part) => part.startsWith(`| ${first} |`)) ?? '';
  const [heads = [], , ...rows] = table.trim().split('\n').map(cellsOf);
  const column = heads.indexOf(head(agent));
  return new Map(column < 1 ? [] : rows.map((cells) => [cells[0] ?? '', cells[column] ?? NOT_SEEN]));
}

function tableOf({ first, rows, agents }: (typeof TABLES)[number]): string {
  const columns = agents.map((agent) => new Map([...written(first, agent), ...(seen.get(agent) ?? [])]));
  return [
    line([first, ...agents.map(head)]),
    line(['---', ...agents.map(() => '---')]),
    ...rows.map((row) => line([row, ...columns.map((column) => column.get(row) ?? NOT_SEEN)])),
  ].join('\n');
}

export function writeMatrix(): void {
  const missing = REAL_AGENTS.flatMap((agent) => whyMissing(agent) ?? []);
  const [flows = '', setup = ''] = TABLES.map(tableOf);
  const text = [
    '# Agents, as seen',
    'Written by `TUGDECK_TEST_FULL=1 npx vitest run --project e2e e2e/agents`, never by hand: each cell is what a test\n' +
      'saw of the real agent through server and browser, started as the catalog says, with a scripted model behind it.\n' +
      'Lists, forks, canceled commands and kills of an agent are tested at the driver. A dash means not seen.',
    flows,
    '## Setup',
    '*Settings › Agent setup* edits the agents’ own files. *Used*: added in the page, the agent had it in its next turn.\n' +
      '*Shown*: a change by hand appeared in the page. *Kept*: an edit in the page of a file with comments and odd\n' +
      'formatting changed no other byte.',
    setup,
    ...missing.map((why) => `- Not tested: ${why}.`),
  ];
  writeFileSync(file, `${text.join('\n\n').trimEnd()}\n`);
}
