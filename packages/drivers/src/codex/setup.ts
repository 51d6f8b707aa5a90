/** The setup of Codex in its own files (A61). */
import type { SetupServer } from '@tugdeck/protocol/areas/agent-setup';
import {
  described,
  type Fields,
  fieldsOf,
  frontMatter,
  jsonHooks,
  markdown,
  textOf,
  textsOf,
} from '../kit/setup/forms.ts';
import type { ItemsForm, SetupDescription, SetupPlaceDescription } from '../kit/setup/setup.ts';
import { parseToml, removeTomlTable, setTomlKeys } from '../kit/setup/toml-edit.ts';
import { tomlServers } from '../kit/setup/toml-servers.ts';
import { hookTrust } from './setup-hooks.ts';
import { codexRules, decideCodex } from './setup-rules.ts';

const servers = tomlServers(
  'mcp_servers',
  {
    read: ({ command, args, url, env, http_headers }: Fields): SetupServer => ({
      type: 'server',
      command: textOf(command),
      args: textsOf(args),
      url: textOf(url),
      variables: fieldsOf(command === undefined ? http_headers : env) as Record<string, string>,
    }),
    write({ command, args, url, transport, variables }: SetupServer, was: Fields) {
      if (transport === 'sse') throw new SyntaxError("Codex doesn't support servers over SSE");
      const some = Object.keys(variables).length > 0 ? variables : undefined;
      return command === undefined
        ? { url, http_headers: some, command: undefined, args: undefined, env: undefined }
        : {
            command,
            args: args.length > 0 || was.args !== undefined ? args : undefined,
            env: some,
            url: undefined,
            http_headers: undefined,
          };
    },
    isOn: ({ enabled }) => enabled !== false,
  },
  'enabled',
);

const plugins: ItemsForm = {
  type: 'name',
  read: (text) =>
    Object.entries(fieldsOf(parseToml(text).plugins)).map(([name, entry]) => ({
      key: name,
      name,
      summary: '',
      on: fieldsOf(entry).enabled !== false,
      content: { type: 'name' as const },
    })),
  write: (text, { key, name, content }) =>
    content === undefined
      ? removeTomlTable(text, ['plugins', key ?? name])
      : setTomlKeys(text, ['plugins', key ?? name], { enabled: true }),
  switch: (text, key, on) => setTomlKeys(text, ['plugins', key], { enabled: on }),
};

/** The same in the user's folder and in the project. */
const both = (
  kind: SetupPlaceDescription['kind'],
  path: string,
  form: SetupPlaceDescription['form'],
  files?: SetupPlaceDescription['files'],
): SetupPlaceDescription[] => [
  {
    id: `${kind}-user`,
    kind,
    scope: 'user',
    base: 'home',
    path: `.codex/${path}`,
    variable: { name: 'CODEX_HOME', path },
    files,
    form,
    canEdit: true,
  },
  {
    id: `${kind}-project`,
    kind,
    scope: 'project',
    base: 'project',
    path: `.codex/${path}`,
    files,
    form,
    canEdit: true,
  },
];

const skill = markdown(frontMatter('name: {name}\ndescription: '));
const SKILLS = { pattern: '*/SKILL.md' };

export const CODEX_SETUP: SetupDescription = {
  agents: ['codex', 'codex-acp'],
  hookEvents: ['PreToolUse', 'PostToolUse', 'UserPromptSubmit', 'SessionStart', 'Stop'],
  places: [
    ...both('server', 'config.toml', servers),
    ...both('rule', 'rules', codexRules, { pattern: '*.rules', fresh: 'default.rules' }),
    {
      id: 'memory-user',
      kind: 'memory',
      scope: 'user',
      base: 'home',
      path: '.codex/AGENTS.md',
      variable: { name: 'CODEX_HOME', path: 'AGENTS.md' },
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
    {
      id: 'memory-override',
      kind: 'memory',
      scope: 'local',
      base: 'project',
      path: 'AGENTS.override.md',
      form: markdown(),
      canEdit: true,
    },
    ...both('hook', 'hooks.json', jsonHooks(['hooks'])).map((place) => ({ ...place, switches: hookTrust })),
    ...both('skill', 'skills', skill, SKILLS),
    {
      id: 'skill-shared',
      kind: 'skill',
      scope: 'user',
      base: 'home',
      path: '.agents/skills',
      files: SKILLS,
      form: skill,
      canEdit: true,
    },
    {
      id: 'skill-shared-project',
      kind: 'skill',
      scope: 'project',
      base: 'project',
      path: '.agents/skills',
      files: SKILLS,
      form: skill,
      canEdit: true,
    },
    ...both(
      'subagent',
      'agents',
      described((name) => `name = "${name}"\ndescription = ""\ndeveloper_instructions = """\n"""\n`),
      { pattern: '*.toml' },
    ),
    ...both('plugin', 'config.toml', plugins).slice(0, 1),
  ],
  decide: decideCodex,
};
