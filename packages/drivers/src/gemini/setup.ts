/** The setup of Gemini in its own files (A61). */
import type { SetupRule, SetupServer } from '@tugdeck/protocol/areas/agent-setup';
import {
  described,
  type Fields,
  fieldsOf,
  frontMatter,
  jsonHooks,
  jsonServers,
  markdown,
  textOf,
  textsOf,
} from '../kit/setup/forms.ts';
import { appendJson, at, parseJsonc, setJson } from '../kit/setup/json-edit.ts';
import type {
  ItemsForm,
  PlacedRule,
  SetupContext,
  SetupDescription,
  SetupPlaceDescription,
  SwitchFile,
} from '../kit/setup/setup.ts';
import { matchesWildcard, shellParts } from '../kit/setup/shell-parts.ts';
import { appendTomlItem, parseToml, setTomlItem } from '../kit/setup/toml-edit.ts';

const servers = jsonServers(
  () => ['mcpServers'],
  {
    read: ({ command, args, url, httpUrl, type, env, headers }: Fields): SetupServer => ({
      type: 'server',
      command: textOf(command),
      args: textsOf(args),
      url: textOf(httpUrl) ?? textOf(url),
      ...(command === undefined
        ? { transport: httpUrl === undefined && type !== 'http' ? 'sse' : 'http' }
        : {}),
      variables: fieldsOf(command === undefined ? headers : env) as Record<string, string>,
    }),
    write({ command, args, url, transport, variables }: SetupServer, was: Fields) {
      const some = Object.keys(variables).length > 0 ? variables : undefined;
      const isTyped = was.type !== undefined;
      return command === undefined
        ? {
            url: transport === 'sse' || isTyped ? url : undefined,
            httpUrl: transport === 'sse' || isTyped ? undefined : url,
            type: isTyped ? (transport ?? 'http') : undefined,
            headers: some,
            command: undefined,
            args: undefined,
            env: undefined,
          }
        : {
            command,
            args: args.length > 0 || was.args !== undefined ? args : undefined,
            env: some,
            url: undefined,
            httpUrl: undefined,
            type: undefined,
            headers: undefined,
          };
    },
  },
  (text, key, on) => {
    const index = textsOf(at(parseJsonc(text), EXCLUDED)).indexOf(key);
    if (!on) return index < 0 ? appendJson(text, EXCLUDED, key) : text;
    return index < 0 ? text : setJson(text, [...EXCLUDED, index], undefined);
  },
  (root, name) => !textsOf(at(root, EXCLUDED)).includes(name),
);
const EXCLUDED = ['mcp', 'excluded'];

const DECISIONS = { allow: 'allow', ask_user: 'ask', deny: 'deny' } as const;
const WORDS: Readonly<Record<SetupRule['decision'], string>> = {
  allow: 'allow',
  ask: 'ask_user',
  deny: 'deny',
};
const SHELL = 'run_shell_command';
const PRIORITY = 100;

/** Rules of the policy engine: `[[rule]]` with a tool and, for the shell, the beginning of a command. */
const rules: ItemsForm = {
  type: 'rule',
  read: (text) =>
    itemsIn(text).flatMap(
      ({ toolName, commandPrefix, commandRegex, argsPattern, decision, priority }, index) => {
        const known = DECISIONS[decision as keyof typeof DECISIONS];
        if (known === undefined) return [];
        const tools = typeof toolName === 'string' ? toolName : textsOf(toolName).join(', ') || '*';
        const prefixes = typeof commandPrefix === 'string' ? [commandPrefix] : textsOf(commandPrefix);
        const texts =
          prefixes.length > 0
            ? prefixes.map((prefix) => (tools === SHELL ? prefix : `${tools}: ${prefix}`))
            : [toolText(tools, textOf(commandRegex), textOf(argsPattern))];
        return [
          {
            key: JSON.stringify([index, texts[0], Number(priority) || 0]),
            name: texts.join(', '),
            summary: `${known}, priority ${Number(priority) || 0}`,
            // Other conditions can't be written in one line.
            ...(texts.length === 1 && commandRegex === undefined && argsPattern === undefined
              ? { content: { type: 'rule' as const, decision: known, text: texts[0] ?? '' } }
              : {}),
          },
        ];
      },
    ),
  write(text, { key, content }) {
    const fresh = content?.type === 'rule' ? content : undefined;
    if (key === undefined)
      return fresh
        ? appendTomlItem(text, 'rule', {
            ...conditions(fresh.text),
            decision: WORDS[fresh.decision],
            priority: PRIORITY,
          })
        : text;
    const [index = 0] = JSON.parse(key) as [number];
    const was = itemsIn(text)[index];
    if (!was || !rules.read(text, { project: undefined }).some((one) => one.key === key))
      throw new SyntaxError("this rule isn't in the file");
    if (!fresh) return setTomlItem(text, 'rule', index, undefined);
    const { toolName: _tool, commandPrefix: _prefix, ...others } = was;
    const next = { ...conditions(fresh.text), ...others, decision: WORDS[fresh.decision] };
    return setTomlItem(text, 'rule', index, next);
  },
};

function itemsIn(text: string): Fields[] {
  const { rule } = parseToml(text);
  return Array.isArray(rule) ? rule.map(fieldsOf) : [];
}

function toolText(tools: string, regex: string | undefined, args: string | undefined): string {
  const pattern = regex ?? args;
  return pattern === undefined ? `tool ${tools}` : `${tools}: /${pattern}/`;
}

/** `tool NAME` is a rule about any tool; everything else begins a shell command. */
function conditions(text: string): Record<string, unknown> {
  const tool = /^tool (\S+)$/.exec(text)?.[1];
  return tool === undefined ? { toolName: SHELL, commandPrefix: text } : { toolName: tool };
}

const both = (
  kind: SetupPlaceDescription['kind'],
  path: string,
  form: SetupPlaceDescription['form'],
  files?: SetupPlaceDescription['files'],
): SetupPlaceDescription[] =>
  (['user', 'project'] as const).map((scope) => ({
    id: `${kind}-${scope}`,
    kind,
    scope,
    base: scope === 'user' ? 'home' : 'project',
    path: `.gemini/${path}`,
    ...(scope === 'user' ? { variable: { name: 'GEMINI_CLI_HOME', path: `.gemini/${path}` } } : {}),
    files,
    form,
    canEdit: true,
  }));

/** `/folder/*`: an extension is on in the folder and everything in it; `!` means off. The last one that matches decides. */
const overridesIn = (text: string, key: string) => textsOf(at(parseJsonc(text), [key, 'overrides']));
const isOverriding = (override: string, { project = '' }: SetupContext) =>
  matchesWildcard(override.replace(/^!/, ''), `${project}/`);
const EVERYWHERE = '/*';

const enablement: SwitchFile = {
  path: '.gemini/extensions/extension-enablement.json',
  variable: { name: 'GEMINI_CLI_HOME', path: '.gemini/extensions/extension-enablement.json' },
  isOn: (text, { key }, context) =>
    overridesIn(text, key)
      .findLast((override) => isOverriding(override, context))
      ?.startsWith('!') !== true,
  /** Everywhere; other folders keep their own overrides. */
  switch(text, { key }, on, context) {
    const others = overridesIn(text, key).filter((override) => !isOverriding(override, context));
    return setJson(text, [key, 'overrides'], [on ? EVERYWHERE : `!${EVERYWHERE}`, ...others]);
  },
};

export const GEMINI_SETUP: SetupDescription = {
  agents: ['gemini'],
  // Measured with 0.61: its ACP mode loads no command files.
  notes: { command: 'Gemini offers these only in its own terminal' },
  hookEvents: [
    'BeforeTool',
    'AfterTool',
    'BeforeAgent',
    'AfterAgent',
    'BeforeModel',
    'AfterModel',
    'SessionStart',
    'SessionEnd',
    'PreCompress',
    'Notification',
  ],
  places: [
    ...both('server', 'settings.json', servers),
    ...both('rule', 'policies', rules, { pattern: '*.toml', fresh: 'rules.toml' }),
    {
      id: 'memory-user',
      kind: 'memory',
      scope: 'user',
      base: 'home',
      path: '.gemini/GEMINI.md',
      variable: { name: 'GEMINI_CLI_HOME', path: '.gemini/GEMINI.md' },
      form: markdown(),
      canEdit: true,
    },
    {
      id: 'memory-project',
      kind: 'memory',
      scope: 'project',
      base: 'project',
      path: 'GEMINI.md',
      isChain: true,
      form: markdown(),
      canEdit: true,
    },
    ...both('hook', 'settings.json', jsonHooks(['hooks'])),
    ...both('skill', 'skills', markdown(frontMatter('name: {name}\ndescription: ')), {
      pattern: '*/SKILL.md',
    }),
    ...both('subagent', 'agents', markdown(frontMatter('name: {name}\ndescription: ')), { pattern: '*.md' }),
    ...both(
      'command',
      'commands',
      described(() => 'description = ""\nprompt = """\n"""\n'),
      { pattern: '*.toml' },
    ),
    {
      ...(both(
        'plugin',
        'extensions',
        { type: 'text', summary: extensionSummary },
        { pattern: '*/gemini-extension.json' },
      )[0] as SetupPlaceDescription),
      canEdit: false,
      switches: enablement,
    },
  ],
  /** The rule with the highest priority; the user's rules come before the project's. Every part of a command is checked. */
  decide(all, command) {
    const decided = shellParts(command).map((part) => decidePart(all, part));
    const strictest = (['deny', 'ask'] as const)
      .map((one) => decided.find(({ decision }) => decision === one))
      .find(Boolean);
    if (strictest) return strictest;
    return decided.find(({ decision }) => decision === 'none') ?? decided[0] ?? { decision: 'none' };
  },
};

function decidePart(all: readonly PlacedRule[], command: string): ReturnType<SetupDescription['decide']> {
  const ranked = all
    .filter((rule) => covers(rule, command))
    .map((rule) => ({
      rule,
      rank: (rule.scope === 'user' ? 1e6 : 0) + Number((JSON.parse(rule.key) as unknown[])[2] ?? 0),
    }))
    .sort((a, b) => b.rank - a.rank);
  const rule = ranked[0]?.rule;
  return rule ? { decision: rule.decision, rule } : { decision: 'none' };
}

function covers({ name, text }: PlacedRule, command: string): boolean {
  if (text === '') return false;
  if (name === `tool ${SHELL}` || name === 'tool *') return true;
  if (name.startsWith('tool ')) return false;
  const pattern = /^[^:]+: \/([\s\S]*)\/$/.exec(name)?.[1];
  if (pattern !== undefined) return false;
  return text.endsWith(' ') ? command.startsWith(text) : command === text || command.startsWith(`${text} `);
}

function extensionSummary(text: string): string {
  try {
    const { description, version } = fieldsOf(JSON.parse(text));
    return [textOf(version), textOf(description)].filter(Boolean).join(' ');
  } catch {
    return '';
  }
}
