/** The setup of OpenCode in its own files (A61). */
import type { SetupServer } from '@tugdeck/protocol/areas/agent-setup';
import {
  type Fields,
  fieldsOf,
  frontMatter,
  jsonServers,
  markdown,
  textOf,
  textsOf,
} from '../kit/setup/forms.ts';
import { appendJson, at, parseJsonc, setJson } from '../kit/setup/json-edit.ts';
import type {
  FoundItem,
  ItemsForm,
  PlacedRule,
  SetupDescription,
  SetupPlaceDescription,
} from '../kit/setup/setup.ts';
import { matchesWildcard, shellParts } from '../kit/setup/shell-parts.ts';

const notation = {
  read: ({ command, url, environment, headers }: Fields): SetupServer => {
    const [program, ...args] = textsOf(command);
    return {
      type: 'server',
      command: program,
      args,
      url: textOf(url),
      variables: fieldsOf(program === undefined ? headers : environment) as Record<string, string>,
    };
  },
  write({ command, args, url, transport, variables }: SetupServer) {
    if (transport === 'sse') throw new SyntaxError("OpenCode doesn't support servers over SSE");
    const some = Object.keys(variables).length > 0 ? variables : undefined;
    return command === undefined
      ? { type: 'remote', url, headers: some, command: undefined, environment: undefined }
      : { type: 'local', command: [command, ...args], environment: some, url: undefined, headers: undefined };
  },
  isOn: ({ enabled }: Fields) => enabled !== false,
};

const servers = jsonServers(
  () => ['mcp'],
  notation,
  (text, key, on) => setJson(text, ['mcp', key, 'enabled'], on ? undefined : false),
);

type Decision = 'allow' | 'ask' | 'deny';
const isDecision = (value: unknown): value is Decision =>
  value === 'allow' || value === 'ask' || value === 'deny';

const ruleItem = (tool: string, pattern: string | undefined, decision: Decision): FoundItem => {
  const text = pattern === undefined ? tool : `${tool}: ${pattern}`;
  return {
    key: JSON.stringify(pattern === undefined ? [tool] : [tool, pattern]),
    name: text,
    summary: decision,
    content: { type: 'rule', decision, text },
  };
};

/** `permission`: a decision for everything, for a tool, or for patterns of a tool. Written here as `bash: git *`. */
const rules: ItemsForm = {
  type: 'rule',
  read(text) {
    const permission = at(parseJsonc(text), ['permission']);
    if (isDecision(permission)) return [{ ...ruleItem('*', undefined, permission), key: '[]' }];
    return Object.entries(fieldsOf(permission)).flatMap(([tool, value]) =>
      isDecision(value)
        ? [ruleItem(tool, undefined, value)]
        : Object.entries(fieldsOf(value)).flatMap(([pattern, decision]) =>
            isDecision(decision) ? [ruleItem(tool, pattern, decision)] : [],
          ),
    );
  },
  write(text, { key, content }) {
    const fresh = content?.type === 'rule' ? content : undefined;
    const was = key === undefined ? undefined : (JSON.parse(key) as string[]);
    if (was && !isDecision(at(parseJsonc(text), ['permission', ...was]))) {
      throw new SyntaxError("this rule isn't in the file");
    }
    if (!fresh) return was ? setJson(text, ['permission', ...was], undefined) : text;
    const path = pathOf(fresh.text);
    if (was && was.length === path.length && was.every((one, index) => one === path[index])) {
      return setJson(text, ['permission', ...was], fresh.decision);
    }
    const removed = was ? setJson(text, ['permission', ...was], undefined) : text;
    // A decision for the whole becomes the first of several.
    const widened = [['permission'], ['permission', path[0] ?? '']].reduce((result, place, depth) => {
      const whole = at(parseJsonc(result), place);
      return isDecision(whole) && path.length > depth ? setJson(result, place, { '*': whole }) : result;
    }, removed);
    return setJson(widened, ['permission', ...path], fresh.decision);
  },
};

function pathOf(text: string): string[] {
  const at = text.indexOf(':');
  const parts = at < 0 ? [text.trim()] : [text.slice(0, at).trim(), text.slice(at + 1).trim()];
  if (parts.some((part) => part === ''))
    throw new SyntaxError('a rule is a tool, or a tool, a colon and a pattern');
  return parts;
}

const plugins: ItemsForm = {
  type: 'name',
  read: (text) =>
    textsOf(at(parseJsonc(text), ['plugin'])).map((name, index) => ({
      key: JSON.stringify([index, name]),
      name,
      summary: '',
      content: { type: 'name' as const },
    })),
  write(text, { key, name, content }) {
    if (key === undefined) return content === undefined ? text : appendJson(text, ['plugin'], name);
    const [index = 0, was] = JSON.parse(key) as [number, string];
    if (at(parseJsonc(text), ['plugin', index]) !== was)
      throw new SyntaxError("this plugin isn't in the file");
    return setJson(text, ['plugin', index], content === undefined ? undefined : name);
  },
};

const FILES = [
  {
    scope: 'user',
    base: 'home',
    path: '.config/opencode/opencode.json',
    variable: { name: 'XDG_CONFIG_HOME', path: 'opencode/opencode.json' },
  },
  {
    scope: 'user',
    base: 'home',
    path: '.config/opencode/opencode.jsonc',
    variable: { name: 'XDG_CONFIG_HOME', path: 'opencode/opencode.jsonc' },
    isOptional: true,
  },
  { scope: 'project', base: 'project', path: 'opencode.json' },
  { scope: 'project', base: 'project', path: 'opencode.jsonc', isOptional: true },
  { scope: 'project', base: 'project', path: '.opencode/opencode.json', isOptional: true },
] as const;

const inConfig = (kind: SetupPlaceDescription['kind'], form: ItemsForm): SetupPlaceDescription[] =>
  FILES.map((place, index) => ({ ...place, id: `${kind}-${index}`, kind, form, canEdit: true }));

const folders = (
  kind: SetupPlaceDescription['kind'],
  name: string,
  pattern: string,
  head: string,
): SetupPlaceDescription[] =>
  [name, name.replace(/s$/, '')].flatMap((folder, index) =>
    (['user', 'project'] as const).map((scope) => ({
      id: `${kind}-${scope}-${index}`,
      kind,
      scope,
      base: scope === 'user' ? ('home' as const) : ('project' as const),
      path: scope === 'user' ? `.config/opencode/${folder}` : `.opencode/${folder}`,
      ...(scope === 'user' ? { variable: { name: 'XDG_CONFIG_HOME', path: `opencode/${folder}` } } : {}),
      files: { pattern },
      form: markdown(frontMatter(head)),
      canEdit: true,
      ...(index === 0 ? {} : { isOptional: true }),
    })),
  );

export const OPENCODE_SETUP: SetupDescription = {
  agents: ['opencode'],
  hookEvents: [],
  places: [
    ...inConfig('server', servers),
    ...inConfig('rule', rules),
    {
      id: 'memory-user',
      kind: 'memory',
      scope: 'user',
      base: 'home',
      path: '.config/opencode/AGENTS.md',
      variable: { name: 'XDG_CONFIG_HOME', path: 'opencode/AGENTS.md' },
      form: markdown(),
      canEdit: true,
    },
    {
      id: 'memory-project',
      kind: 'memory',
      scope: 'project',
      base: 'project',
      path: 'AGENTS.md',
      isChain: true,
      form: markdown(),
      canEdit: true,
    },
    ...folders('skill', 'skills', '*/SKILL.md', 'name: {name}\ndescription: '),
    ...folders('subagent', 'agents', '*.md', 'description: \nmode: subagent'),
    ...folders('command', 'commands', '*.md', 'description: '),
    ...inConfig('plugin', plugins),
  ],
  /** The last rule that matches; a project's rules come after the user's. Every part of a command is checked. */
  decide(all, command) {
    const decided = shellParts(command).map((part) => {
      const rule = all.findLast((one) => covers(one, part));
      return rule ? { decision: rule.decision, rule } : { decision: 'none' as const };
    });
    const strictest = (['deny', 'ask', 'none'] as const)
      .map((one) => decided.find(({ decision }) => decision === one))
      .find(Boolean);
    return strictest ?? decided[0] ?? { decision: 'none' };
  },
};

function covers({ text }: PlacedRule, command: string): boolean {
  const [tool = '', pattern] = pathOf(text);
  if (!matchesWildcard(tool, 'bash', true)) return false;
  if (pattern === undefined) return true;
  // A space before the last star also covers the command alone.
  return (
    matchesWildcard(pattern, command, true) ||
    (pattern.endsWith(' *') && matchesWildcard(pattern.slice(0, -2), command, true))
  );
}
