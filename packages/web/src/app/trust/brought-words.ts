/** What a project brings, in words. Pure. */
import type { Brought, BroughtKind } from '@tugdeck/protocol/trust/brought';
import { plural } from '../../ui/words.ts';

const NAMES: Readonly<Record<BroughtKind, readonly [one: string, many: string]>> = {
  hook: ['hook', 'hooks'],
  server: ['MCP server', 'MCP servers'],
  plugin: ['plugin', 'plugins'],
  rule: ['permission rule', 'permission rules'],
  variable: ['environment variable', 'environment variables'],
  setting: ['setting', 'settings'],
  command: ['command', 'commands'],
  subagent: ['subagent', 'subagents'],
  skill: ['skill', 'skills'],
  instructions: ['file of instructions', 'files of instructions'],
};

export interface BroughtGroup {
  readonly kind: BroughtKind;
  readonly title: string;
  readonly items: readonly Brought[];
}

/** By kind, what runs something first. */
export function groupsOf(brought: readonly Brought[]): BroughtGroup[] {
  return (Object.keys(NAMES) as BroughtKind[]).flatMap((kind) => {
    const items = brought.filter((item) => item.kind === kind);
    if (items.length === 0) return [];
    return [{ kind, title: plural(items.length, ...NAMES[kind]), items }];
  });
}

/** "2 hooks, 1 MCP server and 3 settings". */
export function broughtWords(brought: readonly Brought[]): string {
  const titles = groupsOf(brought).map(({ title }) => title);
  const last = titles.pop() ?? '';
  return titles.length === 0 ? last : `${titles.join(', ')} and ${last}`;
}
