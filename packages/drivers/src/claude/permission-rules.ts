/**
 * Converts the agent's permission suggestions to options with readable rules and target files (C6), plus one-time
 * allow and deny.
 */
import type { PermissionOption } from '@tugdeck/protocol/conversation/entries';
import { listOf, recordOf, textAt } from '../kit/fields.ts';
import { modeLabel } from './info-tracker.ts';

export const ALLOW_ONCE: PermissionOption = { id: 'allow', label: 'Allow', effect: 'allow-once' };
export const DENY_ONCE: PermissionOption = { id: 'deny', label: 'Deny', effect: 'reject-once' };

const FILES: Readonly<Record<string, string>> = {
  localSettings: '.claude/settings.local.json',
  projectSettings: '.claude/settings.json',
  userSettings: '~/.claude/settings.json',
};

export function permissionOptions(suggestions: readonly unknown[]): PermissionOption[] {
  return [ALLOW_ONCE, ...suggestions.flatMap(option), DENY_ONCE];
}

/** The suggestion of an option. */
export function suggestionOf(suggestions: readonly unknown[], optionId: string | undefined): unknown {
  const index = /^always-(\d+)$/.exec(optionId ?? '')?.[1];
  return index === undefined ? undefined : suggestions[Number(index)];
}

export function optionId(index: number): string {
  return `always-${index}`;
}

function option(suggestion: unknown, index: number): PermissionOption[] {
  const destination = textAt(suggestion, 'destination') ?? 'session';
  const file = FILES[destination];
  const where = file === undefined ? 'for this session' : `in ${file}`;
  const base = { id: optionId(index), ...(file === undefined ? {} : { file }) };
  switch (textAt(suggestion, 'type')) {
    case 'addRules':
    case 'replaceRules': {
      const rule = listOf(recordOf(suggestion).rules).map(ruleText).join(', ');
      const behavior = textAt(suggestion, 'behavior') ?? 'allow';
      if (behavior === 'ask') return [];
      return behavior === 'deny'
        ? [{ ...base, label: `Always deny ${rule} (${where})`, effect: 'reject-always', rule }]
        : [{ ...base, label: `Always allow ${rule} (${where})`, effect: 'allow-always', rule }];
    }
    case 'setMode': {
      const mode = textAt(suggestion, 'mode') ?? '';
      const label = `Allow, and go on in mode “${modeLabel(mode)}” ${where}`;
      return [{ ...base, label, effect: 'allow-always', rule: `mode ${mode}` }];
    }
    case 'addDirectories': {
      const directories = listOf(recordOf(suggestion).directories).join(', ');
      const label = `Allow, and give access to ${directories} ${where}`;
      return [{ ...base, label, effect: 'allow-always', rule: `directory ${directories}` }];
    }
    default:
      return [];
  }
}

/** In the agent's own notation: `Bash(npm test)`. */
function ruleText(rule: unknown): string {
  const [tool, content] = [textAt(rule, 'toolName') ?? '', textAt(rule, 'ruleContent')];
  return content === undefined ? tool : `${tool}(${content})`;
}
