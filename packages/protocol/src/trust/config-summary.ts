/** One-line summaries of project configuration. Pure. */
import { CONFIG_KINDS, type ConfigItem, type ConfigKind } from './project-config.ts';

const NAMES: Readonly<Record<ConfigKind, readonly [one: string, many: string]>> = {
  hook: ['hook', 'hooks'],
  server: ['MCP server', 'MCP servers'],
  plugin: ['plugin or tool', 'plugins and tools'],
  variable: ['environment variable', 'environment variables'],
  setting: ['setting', 'settings'],
  rule: ['permission rule', 'permission rules'],
  command: ['command', 'commands'],
  subagent: ['subagent', 'subagents'],
  skill: ['skill', 'skills'],
  instructions: ['instruction file', 'instruction files'],
};

export interface ConfigGroup {
  readonly kind: ConfigKind;
  readonly title: string;
  readonly items: readonly ConfigItem[];
}

/** By kind; items that run a program first. */
export function groupByKind(items: readonly ConfigItem[]): ConfigGroup[] {
  return CONFIG_KINDS.flatMap((kind) => {
    const own = items.filter((item) => item.kind === kind);
    if (own.length === 0) return [];
    const [one, many] = NAMES[kind];
    return [{ kind, title: `${own.length} ${own.length === 1 ? one : many}`, items: own }];
  });
}

/** "2 hooks, 1 MCP server and 3 settings". */
export function describeConfig(items: readonly ConfigItem[]): string {
  const titles = groupByKind(items).map(({ title }) => title);
  const last = titles.pop() ?? '';
  return titles.length === 0 ? last : `${titles.join(', ')} and ${last}`;
}
