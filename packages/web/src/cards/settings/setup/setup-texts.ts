/** Texts of the agent setup, by kind, scope and decision. */
import type { SetupItem, SetupKind, SetupScope, SetupVerdict } from '@tugdeck/protocol/areas/agent-setup';
import { visibleText } from '../../../kit/visible-text.ts';

export const KIND_TEXTS: Readonly<Record<SetupKind, { title: string; one: string; none: string }>> = {
  server: { title: 'MCP servers', one: 'server', none: 'No servers' },
  rule: { title: 'Permission rules', one: 'rule', none: 'No rules' },
  memory: { title: 'Memory files', one: 'memory file', none: 'No memory files' },
  hook: { title: 'Hooks', one: 'hook', none: 'No hooks' },
  skill: { title: 'Skills', one: 'skill', none: 'No skills' },
  subagent: { title: 'Subagents', one: 'subagent', none: 'No subagents' },
  command: { title: 'Slash commands', one: 'command', none: 'No commands' },
  plugin: { title: 'Plugins', one: 'plugin', none: 'No plugins' },
  style: { title: 'Output styles', one: 'output style', none: 'No output styles' },
};

export const SCOPE_TEXTS: Readonly<Record<SetupScope, string>> = {
  user: 'User',
  local: 'Local',
  project: 'Project',
  machine: 'This machine',
};

export const VERDICT_TEXTS: Readonly<Record<SetupVerdict, string>> = {
  allow: 'Allowed',
  ask: 'Approval required',
  deny: 'Denied',
  none: 'No rule matches: the mode decides',
};

export const DECISION_TEXTS = { allow: 'Allow', ask: 'Ask', deny: 'Deny' } as const;

/** Names an item in the labels of its buttons. */
export function itemLabel({ name }: Pick<SetupItem, 'name'>, kind: SetupKind): string {
  return `${KIND_TEXTS[kind].one} ${visibleText(name)}`;
}
