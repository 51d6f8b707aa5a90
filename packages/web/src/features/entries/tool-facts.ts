/** Short facts about a tool: "+12 −3", "240 lines", "exit 1", who denied it. Pure. */
import type { ToolEntry, ToolState } from '@tugdeck/protocol/conversation/entries';
import type { LongText } from '@tugdeck/protocol/conversation/long-text';
import { count, plural } from '../../kit/format.ts';
import type { PermissionOutcome } from '../requests/permission-options.ts';
import { splitLines } from '../tool-results/lines.ts';

const STATE_LABELS: Readonly<Record<ToolState, string | undefined>> = {
  preparing: 'Preparing',
  waiting: 'Needs you',
  running: 'Running',
  background: 'In the background',
  done: undefined,
  failed: 'Failed',
  denied: 'Denied',
  interrupted: 'Interrupted',
  stale: 'No result',
};

const DENIED_BY: Readonly<Record<NonNullable<ToolEntry['denied']>['by'], string>> = {
  user: 'by you',
  rule: 'by a rule',
  mode: 'by the permission mode',
  hook: 'by a hook',
  agent: 'by the agent',
};

/** `outcome`: of its permission request; it already says that the user denied it. */
export function toolStateText(entry: ToolEntry, outcome?: PermissionOutcome): string | undefined {
  if (entry.state === 'denied' && outcome?.isRefused) return undefined;
  if (entry.state === 'denied' && entry.denied) return `Denied ${DENIED_BY[entry.denied.by]}`;
  return STATE_LABELS[entry.state];
}

export function toolFacts(entry: ToolEntry): { readonly text: string; readonly isFault?: boolean }[] {
  const { result } = entry;
  const facts: { text: string; isFault?: boolean }[] = [];
  if (result?.type === 'file') facts.push({ text: lines(result.text) });
  if (result?.type === 'matches') {
    const total = result.total ?? (result.text === undefined ? result.files.length : undefined);
    if (total !== undefined) facts.push({ text: plural(total, 'match', 'matches') });
  }
  if (result?.type === 'terminal') {
    if (hasFailedExit(entry)) facts.push({ text: `exit ${result.exitCode}`, isFault: true });
    if (result.interrupted) facts.push({ text: 'interrupted' });
  }
  if (result?.type === 'agent') {
    if (result.toolUses !== undefined) facts.push({ text: plural(result.toolUses, 'tool use', 'tool uses') });
    if (result.tokens !== undefined) facts.push({ text: `${count(result.tokens)} tokens` });
  }
  return facts;
}

/** Failed tools and images are expanded by default. */
export function isOpenByDefault(entry: ToolEntry, outcome?: PermissionOutcome): boolean {
  if (entry.result?.type === 'image') return true;
  if (entry.state === 'failed') return true;
  return entry.state === 'denied' && entry.denied?.why !== undefined && outcome?.isRefused !== true;
}

export function isRunning(state: ToolState): boolean {
  return state === 'running' || state === 'background' || state === 'preparing';
}

/** It ended without doing its work. */
export function isUndone(state: ToolState): boolean {
  return state === 'failed' || state === 'denied' || state === 'interrupted' || state === 'stale';
}

/** Some agents report a failed command as done. */
export function hasFailedExit({ result }: Pick<ToolEntry, 'result'>): boolean {
  return result?.type === 'terminal' && result.exitCode !== undefined && result.exitCode !== 0;
}

function lines(text: LongText): string {
  return typeof text === 'string' ? plural(splitLines(text).length, 'line') : `${count(text.size)} bytes`;
}
