/**
 * What a run of the agents' tests saw, as the table of docs/agents.md. Cells are written only by tests that have
 * just seen it; what nobody saw is a dash. Kept in memory: one test file holds all scenes.
 */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { findAgent } from '@tugdeck/agents/catalogue';
import { ACP_AGENTS, type AcpAgent, agentVersion, whyMissing } from '@tugdeck/testkit/agents';

export const ROWS = [
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
  'Modes',
  'Models',
  'Commands',
  'Questions',
  'Two sessions at once',
  'Model error',
  'Resume after a restart',
  'In the browser: message, permission, diff',
  'Nothing left: normal end',
  'Nothing left: end after a cancelled command',
  'Nothing left: kill -9 of the agent',
  'Nothing left: kill -9 of the host',
  'Nothing left: kill -9 of the server, then stop --all',
] as const;
export type Row = (typeof ROWS)[number];

const cells = new Map<string, string>();

export function saw(agent: AcpAgent, row: Row, what = 'yes'): void {
  cells.set(`${agent}/${row}`, what);
}

const file = fileURLToPath(new URL('../../docs/agents.md', import.meta.url));

const line = (texts: readonly string[]): string => `| ${texts.join(' | ')} |`;

export function writeMatrix(): void {
  const heads = ACP_AGENTS.map((agent) => `${findAgent(agent)?.label ?? agent} ${agentVersion(agent)}`);
  const rows = ROWS.map((row) =>
    line([row, ...ACP_AGENTS.map((agent) => cells.get(`${agent}/${row}`) ?? '–')]),
  );
  const missing = ACP_AGENTS.flatMap((agent) => whyMissing(agent) ?? []);
  const text = [
    '# Agents, as seen',
    '',
    'Written by `TUGDECK_TEST_FULL=1 npx vitest run --project e2e e2e/agents`, never by hand: each cell is what a test',
    'saw of the real agent, started as the catalogue says, with a scripted model behind it. A dash was not seen.',
    '',
    line(['', ...heads]),
    line(['---', ...heads.map(() => '---')]),
    ...rows,
    '',
    ...missing.flatMap((why) => [`- Not tested: ${why}.`]),
  ];
  writeFileSync(file, `${text.join('\n').trimEnd()}\n`);
}
