/** The setup of Claude Code in its own files (A61). */
import type { SetupServer } from '@tugdeck/protocol/areas/agent-setup';
import {
  type Fields,
  fieldsOf,
  frontMatter,
  jsonHooks,
  jsonServers,
  markdown,
  textOf,
  textsOf,
} from '../kit/setup/forms.ts';
import { appendJson, at, type JsonPath, parseJsonc, setJson } from '../kit/setup/json-edit.ts';
import type { ItemsForm, SetupContext, SetupDescription, SetupPlaceDescription } from '../kit/setup/setup.ts';
import { matchesWildcard, shellParts } from '../kit/setup/shell-parts.ts';

const HOME = (path: string) => ({ name: 'CLAUDE_CONFIG_DIR', path });

const servers = {
  read: ({ command, args, url, type, env, headers }: Fields): SetupServer => ({
    type: 'server',
    command: textOf(command),
    args: textsOf(args),
    url: textOf(url),
    ...(type === 'sse' || type === 'http' ? { transport: type } : {}),
    variables: fieldsOf(command === undefined ? headers : env) as Record<string, string>,
  }),
  write({ command, args, url, transport, variables }: SetupServer, was: Fields) {
    const some = Object.keys(variables).length > 0 ? variables : undefined;
    return command === undefined
      ? { type: transport ?? 'http', url, headers: some, command: undefined, args: undefined, env: undefined }
      : {
          type: was.type === undefined ? undefined : 'stdio',
          command,
          args: args.length > 0 || was.args !== undefined ? args : undefined,
          env: some,
          url: undefined,
          headers: undefined,
        };
  },
};

/** The user's own servers are switched per project, in the list of disabled ones. */
const disabledAt = ({ project }: SetupContext): JsonPath | undefined =>
  project === undefined ? undefined : ['projects', project, 'disabledMcpServers'];

const isEnabled = (root: unknown, name: string, context: SetupContext) =>
  !textsOf(at(root, disabledAt(context) ?? [''])).includes(name);

function switchServer(text: string, key: string, on: boolean, context: SetupContext): string {
  const path = disabledAt(context);
  if (path === undefined) throw new SyntaxError('this needs a project');
  const index = textsOf(at(parseJsonc(text), path)).indexOf(key);
  if (!on) return index < 0 ? appendJson(text, path, key) : text;
  return index < 0 ? text : setJson(text, [...path, index], undefined);
}

const own = (path: (context: SetupContext) => JsonPath | undefined) =>
  jsonServers(path, servers, switchServer, isEnabled);

const LISTS = ['deny', 'ask', 'allow'] as const;

const rules: ItemsForm = {
  type: 'rule',
  read(text) {
    const permissions = fieldsOf(at(parseJsonc(text), ['permissions']));
    return LISTS.flatMap((decision) =>
      textsOf(permissions[decision]).map((rule, index) => ({
        key: JSON.stringify([decision, index, rule]),
        name: rule,
        summary: decision,
        content: { type: 'rule' as const, decision, text: rule },
      })),
    );
  },
  write(text, { key, content }) {
    const fresh = content?.type === 'rule' ? content : undefined;
    if (key === undefined)
      return fresh ? appendJson(text, ['permissions', fresh.decision], fresh.text) : text;
    const [decision = '', index = 0, rule] = JSON.parse(key) as [string, number, string];
    const place = ['permissions', decision, index];
    if (at(parseJsonc(text), place) !== rule) throw new SyntaxError("this rule isn't in the file");
    if (fresh?.decision === decision) return setJson(text, place, fresh.text);
    const removed = setJson(text, place, undefined);
    return fresh ? appendJson(removed, ['permissions', fresh.decision], fresh.text) : removed;
  },
};

const plugins: ItemsForm = {
  type: 'name',
  read: (text) =>
    Object.entries(fieldsOf(at(parseJsonc(text), ['enabledPlugins']))).map(([name, on]) => ({
      key: name,
      name,
      summary: '',
      on: on !== false,
      content: { type: 'name' as const },
    })),
  write: (text, { key, name, content }) =>
    setJson(text, ['enabledPlugins', key ?? name], content === undefined ? undefined : true),
  switch: (text, key, on) => setJson(text, ['enabledPlugins', key], on),
};

const SETTINGS = [
  { scope: 'user', base: 'home', path: '.claude/settings.json', variable: HOME('settings.json') },
  { scope: 'local', base: 'project', path: '.claude/settings.local.json' },
  { scope: 'project', base: 'project', path: '.claude/settings.json' },
  { scope: 'machine', base: 'root', path: 'etc/claude-code/managed-settings.json' },
] as const;

const inSettings = (kind: SetupPlaceDescription['kind'], form: ItemsForm): SetupPlaceDescription[] =>
  SETTINGS.map((place) => ({
    ...place,
    id: `${kind}-${place.scope}`,
    kind,
    form,
    canEdit: place.scope !== 'machine',
  }));

const folders = (
  kind: SetupPlaceDescription['kind'],
  folder: string,
  pattern: string,
  head: string,
): SetupPlaceDescription[] => [
  {
    id: `${kind}-user`,
    kind,
    scope: 'user',
    base: 'home',
    path: `.claude/${folder}`,
    variable: HOME(folder),
    files: { pattern },
    form: markdown(frontMatter(head)),
    canEdit: true,
  },
  {
    id: `${kind}-project`,
    kind,
    scope: 'project',
    base: 'project',
    path: `.claude/${folder}`,
    files: { pattern },
    form: markdown(frontMatter(head)),
    canEdit: true,
  },
];

export const CLAUDE_SETUP: SetupDescription = {
  agents: ['claude', 'claude-acp'],
  hookEvents: [
    'PreToolUse',
    'PostToolUse',
    'UserPromptSubmit',
    'SessionStart',
    'SessionEnd',
    'Stop',
    'SubagentStop',
    'PreCompact',
    'Notification',
  ],
  places: [
    {
      id: 'server-user',
      kind: 'server',
      scope: 'user',
      base: 'home',
      path: '.claude.json',
      variable: HOME('.claude.json'),
      form: own(() => ['mcpServers']),
      canEdit: true,
    },
    {
      id: 'server-local',
      kind: 'server',
      scope: 'local',
      base: 'home',
      path: '.claude.json',
      variable: HOME('.claude.json'),
      form: own(({ project }) => (project === undefined ? undefined : ['projects', project, 'mcpServers'])),
      canEdit: true,
    },
    {
      id: 'server-project',
      kind: 'server',
      scope: 'project',
      base: 'project',
      path: '.mcp.json',
      form: jsonServers(() => ['mcpServers'], servers),
      canEdit: true,
    },
    ...inSettings('rule', rules),
    {
      id: 'memory-user',
      kind: 'memory',
      scope: 'user',
      base: 'home',
      path: '.claude/CLAUDE.md',
      variable: HOME('CLAUDE.md'),
      form: markdown(),
      canEdit: true,
    },
    {
      id: 'memory-project',
      kind: 'memory',
      scope: 'project',
      base: 'project',
      path: 'CLAUDE.md',
      isChain: true,
      form: markdown(),
      canEdit: true,
    },
    {
      id: 'memory-folder',
      kind: 'memory',
      scope: 'project',
      base: 'project',
      path: '.claude/CLAUDE.md',
      form: markdown(),
      canEdit: true,
    },
    {
      id: 'memory-local',
      kind: 'memory',
      scope: 'local',
      base: 'project',
      path: 'CLAUDE.local.md',
      form: markdown(),
      canEdit: true,
    },
    ...inSettings('hook', jsonHooks(['hooks'])),
    ...folders('skill', 'skills', '*/SKILL.md', 'name: {name}\ndescription: '),
    ...folders('subagent', 'agents', '*.md', 'name: {name}\ndescription: '),
    ...folders('command', 'commands', '*.md', 'description: '),
    ...inSettings('plugin', plugins),
    ...folders('style', 'output-styles', '*.md', 'name: {name}\ndescription: '),
  ],
  /** Deny, then ask, then allow, whatever is more specific; every part of a command needs its own permission. */
  decide(all, command) {
    const parts = shellParts(command);
    for (const decision of ['deny', 'ask'] as const) {
      const rule = all.find(
        (one) => one.decision === decision && parts.some((part) => covers(one.text, part)),
      );
      if (rule) return { decision, rule };
    }
    const allowing = parts.map((part) =>
      all.find((one) => one.decision === 'allow' && covers(one.text, part)),
    );
    const rule = allowing[0];
    return rule && allowing.every(Boolean) ? { decision: 'allow', rule } : { decision: 'none' };
  },
};

function covers(rule: string, command: string): boolean {
  const [, tool, pattern] = /^(\w+)(?:\(([\s\S]*)\))?$/.exec(rule) ?? [];
  if (tool !== 'Bash') return false;
  if (pattern === undefined || pattern === '*') return true;
  const prefix = /^([\s\S]*?)(?::\*| \*)$/.exec(pattern)?.[1];
  // A space before the last star also covers the command alone.
  if (prefix !== undefined && !prefix.includes('*'))
    return command === prefix || command.startsWith(`${prefix} `);
  return matchesWildcard(pattern, command);
}
