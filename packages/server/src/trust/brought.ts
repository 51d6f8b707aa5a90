/**
 * What a project would bring for an agent (X6), read from the places that the catalogue names. Only reads, only
 * inside the project, only a little of each file; understands no agent, just the words that their files share.
 */
import { type Dirent, readdirSync, realpathSync, statSync } from 'node:fs';
import { join, sep } from 'node:path';
import { findAgent, type ProjectSource } from '@tugdeck/agents/catalogue';
import { readBoundedText } from '@tugdeck/local/bounded-file';
import type { Brought, BroughtAnswer, BroughtKind } from '@tugdeck/protocol/trust/brought';

const MAX_FILE = 256 * 1024;
const MAX_ITEMS = 200;
const MAX_TEXT = 400;

type Item = Pick<Brought, 'kind' | 'text'>;
type Fields = Readonly<Record<string, unknown>>;

export function broughtBy(directory: string, agent: string): BroughtAnswer {
  const known = findAgent(agent);
  const all = (known?.projectSources ?? []).flatMap((source) => read(directory, source));
  return {
    brought: all.slice(0, MAX_ITEMS),
    cut: all.length > MAX_ITEMS,
    canLeaveOut: known?.canLeaveOutProject === true,
  };
}

/** An agent that cannot leave out what a project brings must not start in one that nobody trusts. */
export function needsTrust(directory: string, agent: string): boolean {
  if (findAgent(agent)?.canLeaveOutProject) return false;
  return broughtBy(directory, agent).brought.some(({ kind }) => kind !== 'instructions');
}

function read(directory: string, source: ProjectSource): Brought[] {
  const path = inside(directory, source.path);
  if (path === undefined) return [];
  const items = source.form === 'settings' ? settings(path, directory) : listed(path, source);
  return items.map(({ kind, text }) => ({ kind, path: source.path, text: short(text) }));
}

/** Its real place, unless there is nothing or a link leads out of the project. */
function inside(directory: string, relative: string): string | undefined {
  try {
    const root = realpathSync(directory);
    const path = realpathSync(join(root, relative));
    return path.startsWith(root + sep) ? path : undefined;
  } catch {
    return undefined; // Nothing there, or nothing that may be read: the agent cannot either.
  }
}

function listed(path: string, { form, holds = 'setting' }: ProjectSource): Item[] {
  if (form === 'file') return isFile(path) ? [{ kind: holds, text: '' }] : [];
  let found: Dirent[];
  try {
    found = readdirSync(path, { withFileTypes: true });
  } catch {
    return []; // Not a folder, or not readable.
  }
  return found.slice(0, MAX_ITEMS + 1).map(({ name }) => ({ kind: holds, text: name.replace(/\.md$/, '') }));
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

function settings(path: string, directory: string): Item[] {
  if (!isFile(path)) return [];
  let value: unknown;
  try {
    value = JSON.parse(readBoundedText(path, { maxBytes: MAX_FILE, within: directory }) ?? '');
  } catch {
    return [{ kind: 'setting', text: 'The file could not be read, or is not JSON.' }];
  }
  return Object.entries(fields(value)).flatMap(([key, what]) => ofKey(key, what));
}

function ofKey(key: string, value: unknown): Item[] {
  switch (key) {
    case 'hooks':
      return Object.entries(fields(value)).flatMap(([event, matchers]) => hooks(event, matchers));
    case 'mcpServers':
    case 'mcp':
      return Object.entries(fields(value)).map(([name, server]) => ({
        kind: 'server',
        text: `${name}: ${launchOf(server)}`,
      }));
    case 'permissions':
    case 'permission':
      return rules(value);
    case 'enabledPlugins':
    case 'plugin':
    case 'plugins':
    case 'extraKnownMarketplaces':
      return names(value).map((text) => item('plugin', text));
    case 'env':
      return Object.entries(fields(value)).map(([name, text]) => item('variable', `${name}=${plain(text)}`));
    case '$schema':
      return [];
    default:
      return [item('setting', `${key}: ${plain(value)}`)];
  }
}

function hooks(event: string, matchers: unknown): Item[] {
  return list(matchers).flatMap((one) => {
    const { matcher, hooks: own } = fields(one);
    const when = matcher === undefined || matcher === '' ? event : `${event} (${plain(matcher)})`;
    const actions = list(own).length > 0 ? list(own) : [one];
    return actions.map((action) => {
      const { command, url, prompt } = fields(action);
      return item('hook', `${when}: ${plain(command ?? url ?? prompt ?? action)}`);
    });
  });
}

function rules(value: unknown): Item[] {
  if (typeof value !== 'object') return [item('rule', plain(value))];
  return Object.entries(fields(value)).flatMap(([word, given]) =>
    Array.isArray(given)
      ? given.map((rule) => item('rule', `${word} ${plain(rule)}`))
      : [item('rule', `${word}: ${plain(given)}`)],
  );
}

function launchOf(server: unknown): string {
  const { command, args, url } = fields(server);
  if (command === undefined) return plain(url ?? server);
  return [...(Array.isArray(command) ? command : [command]), ...list(args)].map(plain).join(' ');
}

function names(value: unknown): string[] {
  if (Array.isArray(value)) return value.map(plain);
  return Object.entries(fields(value)).flatMap(([name, on]) => (on === false ? [] : [name]));
}

function item(kind: BroughtKind, text: string): Item {
  return { kind, text };
}

function plain(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

function short(text: string): string {
  return text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT)}…`;
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function fields(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}
