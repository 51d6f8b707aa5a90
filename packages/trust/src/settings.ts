/**
 * Turns a settings file into findings. Knows no agent, only the keys that several agents share; every key yields at
 * least one finding, so that unknown ones are shown too. Pure.
 */
import type { ConfigKind } from '@tugdeck/protocol/trust/project-config';
import type { Findings } from './findings.ts';

type Fields = Readonly<Record<string, unknown>>;

export function readSettings(value: unknown, path: string, findings: Findings): void {
  if (!isFields(value)) {
    findings.add('setting', path, '', textOf(value), value);
    return;
  }
  for (const [key, content] of Object.entries(value)) readKey(key, content, path, findings);
}

/** A package.json that an agent installs: its scripts run, and its dependencies are loaded. */
export function readPackage(value: unknown, path: string, own: readonly string[], findings: Findings): void {
  for (const [key, content] of Object.entries(isFields(value) ? value : { package: value })) {
    if (['name', 'version', 'private', 'type', 'description', 'license'].includes(key)) continue;
    const isDependencies = /dependencies$/i.test(key) && isFields(content);
    for (const [name, text] of isFields(content) ? Object.entries(content) : [['', content] as const]) {
      if (isDependencies && own.includes(name) && isVersion(text)) continue;
      const kind = key === 'scripts' ? 'hook' : isDependencies ? 'plugin' : 'setting';
      findings.add(kind, path, `${key} ${name}`, [key, name, textOf(text)].filter(Boolean).join(': '), text);
    }
  }
}

/** From the registry, unlike a folder, an address or a package of another name. */
function isVersion(text: unknown): boolean {
  return typeof text === 'string' && /^(?:[~^]?\d+(?:\.\d+){0,2}(?:-[\w.]+)?|latest|\*)$/.test(text);
}

function readKey(key: string, value: unknown, path: string, findings: Findings): void {
  const add = (kind: ConfigKind, name: string, text: string, content: unknown) =>
    findings.add(kind, path, `${key} ${name}`, text, content);
  switch (key) {
    case '$schema':
      return;
    case 'hooks':
      if (!isFields(value)) break;
      for (const [event, matchers] of Object.entries(value)) {
        for (const [name, text, content] of hooks(event, matchers)) add('hook', name, text, content);
      }
      return;
    case 'mcpServers':
    case 'mcp_servers':
    case 'mcp':
    case 'servers':
    case 'lsp':
    case 'lspServers':
    case 'formatter':
      if (!isFields(value)) break;
      for (const [name, server] of Object.entries(value)) {
        add('server', name, `${name}: ${launchOf(server)}`, server);
      }
      return;
    case 'permissions':
    case 'permission':
      for (const [name, text] of rules(value)) add('rule', name, text, text);
      return;
    case 'enabledPlugins':
    case 'plugin':
    case 'plugins':
    case 'extraKnownMarketplaces':
      for (const [name, text] of plugins(value)) add('plugin', name, text, text);
      return;
    case 'env':
    case 'environment':
      if (!isFields(value)) break;
      for (const [name, text] of Object.entries(value)) {
        add('variable', name, variable(name, textOf(text)), text);
      }
      return;
  }
  add(kindOf(key, value), '', `${key}: ${textOf(value)}`, value);
}

/** Keys whose value is a program: helpers for keys and credentials, a status line, the shell that commands run in. */
const PROGRAM_KEYS =
  /(command|cmd|helper|refresh|credentialexport|statusline|filesuggestion|notify|shell|shell_?prefix|executable)$/i;
/** Keys that name a module which the agent loads, at any depth: a provider can bring its own. */
const MODULE_KEYS = /^(npm|plugins?)$/i;

/** A setting that runs a program at any depth counts as a hook, one that loads a module as a plugin. */
function kindOf(key: string, value: unknown): 'hook' | 'plugin' | 'setting' {
  let isPlugin = false;
  const left: [key: string, value: unknown][] = [[key, value]];
  for (let one = left.pop(); one !== undefined; one = left.pop()) {
    const [name, content] = one;
    const hasContent = typeof content === 'string' || Array.isArray(content);
    if (hasContent && content.length > 0 && PROGRAM_KEYS.test(name)) return 'hook';
    if (hasContent && content.length > 0 && MODULE_KEYS.test(name)) isPlugin = true;
    if (typeof content !== 'object' || content === null) continue;
    for (const inner of Object.entries(content)) left.push(inner);
  }
  return isPlugin ? 'plugin' : 'setting';
}

/** Hides values that look like secrets; changes are still detected. */
export function variable(name: string, value: string): string {
  const isSecret =
    /key|token|secret|passw|credential|auth/i.test(name) &&
    !/helper|url|host|path|file|config|command|cmd|refresh|export|^git_/i.test(name) &&
    // A file with credentials can name a program that gets them.
    !/^(?:\.{0,2}|~)\//.test(value) &&
    // A reference is not the secret itself, and says which file or variable is sent.
    !/\{(file|env):|\$\{/.test(value);
  return `${name}=${isSecret && value !== '' ? '(hidden)' : value}`;
}

function hooks(event: string, matchers: unknown): [name: string, text: string, content: unknown][] {
  const all = Array.isArray(matchers) ? matchers : [matchers];
  return all.flatMap((one: unknown) => {
    const { matcher, hooks: own, ...rest } = fields(one);
    const when = matcher === undefined || matcher === '' ? event : `${event} (${textOf(matcher)})`;
    const actions: unknown[] = Array.isArray(own) && own.length > 0 ? own : [one];
    return actions.map((action): [string, string, unknown] => {
      const { command, url, prompt, ...more } = fields(action);
      const summary = textOf(command ?? url ?? prompt ?? action);
      const others = command === undefined ? {} : { url, prompt };
      const text = [
        `${when}: ${summary}`,
        remainder({ ...others, ...more }, ['type', 'timeout', 'matcher', 'hooks']),
        // Another agent may read the command beside the list.
        own === undefined || action === one ? '' : remainder(rest, []),
      ];
      return [
        `${when} ${summary}`,
        text.filter(Boolean).join(' '),
        [action, matcher, own === undefined ? {} : rest],
      ];
    });
  });
}

function rules(value: unknown): [name: string, text: string][] {
  if (!isFields(value)) return [['', textOf(value)]];
  return Object.entries(value).flatMap(([key, entries]): [string, string][] =>
    Array.isArray(entries)
      ? entries.map((rule) => [`${key} ${textOf(rule)}`, `${key} ${textOf(rule)}`])
      : [[key, `${key}: ${textOf(entries)}`]],
  );
}

function plugins(value: unknown): [name: string, text: string][] {
  if (Array.isArray(value)) return value.map((one) => [textOf(one), textOf(one)]);
  if (!isFields(value)) return [['', textOf(value)]];
  return Object.entries(value).map(([name, about]) => {
    const isPlain = typeof about === 'boolean';
    return [name, isPlain ? `${name}${about ? '' : ' (off)'}` : `${name}: ${textOf(about)}`];
  });
}

function launchOf(server: unknown): string {
  const { command, args, url, env, environment, headers, ...rest } = fields(server);
  if (command === undefined && url === undefined) return textOf(server);
  const argv = [command, args].flatMap((part) =>
    Array.isArray(part) ? part : part === undefined ? [] : [part],
  );
  const variables = [env, environment, headers].flatMap((part) => Object.entries(fields(part)));
  return [
    argv.map((word) => quoted(textOf(word))).join(' '),
    url === undefined ? '' : textOf(url),
    ...variables.map(([name, value]) => variable(name, textOf(value))),
    remainder(rest, ['type', 'enabled', 'timeout']),
  ]
    .filter(Boolean)
    .join(' ');
}

/** The remaining fields, so that nothing is hidden. */
function remainder(remaining: Fields, omitted: readonly string[]): string {
  const left = Object.entries(remaining).filter(
    ([name, value]) => value !== undefined && !omitted.includes(name),
  );
  return left.length === 0 ? '' : `· ${JSON.stringify(Object.fromEntries(left))}`;
}

function quoted(word: string): string {
  return /^[\w@%+=:,./~-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

function fields(value: unknown): Fields {
  return isFields(value) ? value : {};
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
