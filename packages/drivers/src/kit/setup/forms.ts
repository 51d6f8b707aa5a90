/** Forms that several agents share: servers and hooks in JSON, files with front matter. Pure. */
import {
  HIDDEN_VALUE,
  type SetupContent,
  type SetupHook,
  type SetupServer,
} from '@tugdeck/protocol/areas/agent-setup';
import { appendJson, at, type JsonPath, parseJsonc, setJson } from './json-edit.ts';
import type { FoundItem, ItemsForm, SetupContext, TextForm } from './setup.ts';
import { parseToml } from './toml-edit.ts';

export type Fields = Readonly<Record<string, unknown>>;

export function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

export function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : [];
}

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

export function quoted(word: string): string {
  return /^[\w@%+=:,./~-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

export function commandLine({ command, args, url }: SetupServer): string {
  return command === undefined ? (url ?? '') : [command, ...args].map(quoted).join(' ');
}

/** Translates between a server in the agent's file and ours. */
export interface ServerNotation {
  read(entry: Fields): SetupServer;
  /** Keys to set; undefined removes one. Keys that it does not name stay. */
  write(server: SetupServer, was: Fields): Record<string, unknown>;
  /** Undefined if a server can't be switched in its own entry. */
  readonly isOn?: (entry: Fields) => boolean;
}

export function serverItem(name: string, entry: Fields, { read, isOn }: ServerNotation): FoundItem {
  const server = read(entry);
  const runs = server.command === undefined ? undefined : commandLine(server);
  const hidden = Object.keys(server.variables).map((one) => [one, HIDDEN_VALUE]);
  return {
    key: name,
    name,
    summary: commandLine(server),
    ...(runs === undefined ? {} : { runs }),
    ...(isOn ? { on: isOn(entry) } : {}),
    content: { ...server, variables: Object.fromEntries(hidden) },
  };
}

/** The server with the values of the file where the page sent hidden ones. */
export function withHiddenValues(content: SetupContent, was: SetupServer | undefined): SetupServer {
  if (content.type !== 'server') throw new SyntaxError('this is not a server');
  if ((content.command === undefined) === (content.url === undefined)) {
    throw new SyntaxError('a server has either a command or a URL');
  }
  const variables = Object.entries(content.variables).map(([name, value]): [string, string] => [
    name,
    value === HIDDEN_VALUE ? (was?.variables[name] ?? '') : value,
  ]);
  return { ...content, variables: Object.fromEntries(variables) };
}

/** Servers by name in a JSON object. `path` may depend on the project. */
export function jsonServers(
  path: (context: SetupContext) => JsonPath | undefined,
  notation: ServerNotation,
  toggle?: NonNullable<ItemsForm['switch']>,
  isOn?: (root: unknown, name: string, context: SetupContext) => boolean,
): ItemsForm {
  const entriesOf = (text: string, context: SetupContext) => {
    const where = path(context);
    return where === undefined ? {} : fieldsOf(at(parseJsonc(text), where));
  };
  return {
    type: 'server',
    read(text, context) {
      const root = parseJsonc(text);
      return Object.entries(entriesOf(text, context)).map(([name, entry]) => {
        const item = serverItem(name, fieldsOf(entry), notation);
        return isOn ? { ...item, on: isOn(root, name, context) } : item;
      });
    },
    write(text, { key, name, content }, context) {
      const where = path(context);
      if (where === undefined) throw new SyntaxError('this needs a project');
      const entries = entriesOf(text, context);
      if (key !== undefined && !Object.hasOwn(entries, key))
        throw new SyntaxError(`${key} isn't in the file`);
      if (content === undefined) return key === undefined ? text : setJson(text, [...where, key], undefined);
      if (key !== name && Object.hasOwn(entries, name)) throw new SyntaxError(`${name} already exists`);
      const was = key === undefined ? {} : fieldsOf(entries[key]);
      const server = withHiddenValues(content, key === undefined ? undefined : notation.read(was));
      const next = { ...was, ...notation.write(server, was) };
      const written = Object.fromEntries(Object.entries(next).filter(([, value]) => value !== undefined));
      const renamed = key === undefined || key === name ? text : setJson(text, [...where, key], undefined);
      return setJson(renamed, [...where, name], written);
    },
    server(text, key, context) {
      const entries = entriesOf(text, context);
      return Object.hasOwn(entries, key) ? notation.read(fieldsOf(entries[key])) : undefined;
    },
    ...(toggle ? { switch: toggle } : {}),
  };
}

/** `{ event: [{ matcher, hooks: [{ type: 'command', command }] }] }`, as several agents have it. */
export function jsonHooks(path: JsonPath): ItemsForm {
  return {
    type: 'hook',
    read: (text) => hooksIn(at(parseJsonc(text), path)),
    write(text, { key, content }) {
      const hook = content as SetupHook | undefined;
      const group = (one: SetupHook) => ({
        ...(one.matcher === '' ? {} : { matcher: one.matcher }),
        hooks: [{ type: 'command', command: one.command }],
      });
      if (key === undefined) return hook ? appendJson(text, [...path, hook.event], group(hook)) : text;
      const was = hooksIn(at(parseJsonc(text), path)).find((one) => one.key === key);
      const before = was?.content as SetupHook | undefined;
      const [event = '', groupAt = 0, hookAt = 0] = JSON.parse(key) as [string, number, number];
      const list = [...path, event, groupAt];
      if (!before) throw new SyntaxError("this hook isn't in the file");
      if (hook && hook.event === event) {
        const changed = setJson(text, [...list, 'hooks', hookAt, 'command'], hook.command);
        return hook.matcher === before.matcher
          ? changed
          : setJson(changed, [...list, 'matcher'], hook.matcher === '' ? undefined : hook.matcher);
      }
      const siblings = at(parseJsonc(text), [...list, 'hooks']);
      const isAlone = Array.isArray(siblings) && siblings.length === 1;
      const groups = at(parseJsonc(text), [...path, event]);
      const isLast = isAlone && Array.isArray(groups) && groups.length === 1;
      const target = isLast ? [...path, event] : isAlone ? list : [...list, 'hooks', hookAt];
      const removed = setJson(text, target, undefined);
      return hook ? appendJson(removed, [...path, hook.event], group(hook)) : removed;
    },
  };
}

function hooksIn(value: unknown): FoundItem[] {
  return Object.entries(fieldsOf(value)).flatMap(([event, groups]) =>
    (Array.isArray(groups) ? groups : []).flatMap((group, groupAt) => {
      const { matcher, hooks } = fieldsOf(group);
      return (Array.isArray(hooks) ? hooks : []).flatMap((hook, hookAt) => {
        const { command, type } = fieldsOf(hook);
        if (typeof command !== 'string' || (type !== undefined && type !== 'command')) return [];
        const text = textOf(matcher) ?? '';
        const content = { type: 'hook' as const, event, matcher: text, command };
        const name = text === '' ? event : `${event} (${text})`;
        return [
          { key: JSON.stringify([event, groupAt, hookAt]), name, summary: command, runs: command, content },
        ];
      });
    }),
  );
}

/** A Markdown file; its front matter may have a description. */
export function markdown(template?: (name: string) => string): TextForm {
  return { type: 'text', summary: markdownSummary, template };
}

function markdownSummary(text: string): string {
  const head = /^\uFEFF?---\r?\n([\s\S]*?)\r?\n---/.exec(text);
  const described = head && /^description[ \t]*:[ \t]*(.*)$/m.exec(head[1] ?? '')?.[1];
  const first = text
    .slice(head?.[0].length ?? 0)
    .split('\n')
    .find((line) => line.trim() !== '');
  return (described || first || '')
    .trim()
    .replace(/^["']|["']$/g, '')
    .slice(0, 200);
}

/** A file in TOML with a description. */
export function described(template?: (name: string) => string): TextForm {
  return {
    type: 'text',
    summary(text) {
      try {
        return textOf(parseToml(text).description)?.slice(0, 200) ?? '';
      } catch {
        return ''; // Can be edited until it is valid.
      }
    },
    template,
  };
}

export function frontMatter(fields: string): (name: string) => string {
  return (name) => `---\n${fields.replaceAll('{name}', name)}\n---\n\n`;
}
