/** Items that the tests of the agent setup (A61) add in the page or write by hand, by agent. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { agentFolder, agentVersion } from '@tugdeck/testkit/agents';
import { mcpServers } from '@tugdeck/testkit/mcp-server';
import type { Deck } from '../deck.ts';
import type { SetupRow } from './matrix.ts';

export type SetupAgent = 'claude' | 'codex' | 'gemini' | 'opencode';
type Values = Readonly<Record<string, string>>;

/** An item added with the button `Add …` of its kind. */
export type Added = readonly [kind: SetupRow, button: string, values: Values];

/** An edit in the page of an item that was written by hand, and the replacement that it makes in the file. */
export interface Edit {
  readonly kind: SetupRow;
  /** Part of the item's row. */
  readonly item: string;
  /** Fields of its form, or the action on its row. */
  readonly by: Values | 'turn on' | 'turn off' | 'remove';
  readonly change: readonly [string, string];
}

export interface OddFile {
  /** Relative to the home. */
  readonly path: string;
  readonly text: string;
  readonly edits: readonly Edit[];
}

export interface AgentRow {
  readonly agent: SetupAgent;
  readonly config?: Readonly<Record<string, unknown>>;
  readonly added: readonly Added[];
  /** Prepares a plugin that is installed and off, or that can be added; returns its name in the page. */
  readonly plugin: (deck: Deck) => { readonly name: string; readonly isAdded?: boolean };
  readonly odd: readonly OddFile[];
  /** It doesn't offer the user's commands to other programs. */
  readonly hasNoCommands?: boolean;
}

/** Texts that a model request contains if the agent uses the item. */
export const VIOLET = {
  memory: 'Remember the violet fox.',
  skill: 'Paints everything in violet.',
  subagent: 'Looks for violet things only.',
  command: 'Do what the violet command says.',
  /** Not `violet`: a skill can be called like a command. */
  commandName: 'purple',
  plugin: 'The violet plugin has this.',
  style: 'Answer in the violet manner.',
};
export const hookFile = ({ sandbox }: Deck): string => join(sandbox.root, 'hook-ran');
export const pluginFile = ({ sandbox }: Deck): string => join(sandbox.root, 'plugin-ran');
/** Replaced by the path of `hookFile`. */
export const HOOK_FILE = '{hook-ran}';

const frontMatter = (fields: Values, body: string): string =>
  `---\n${Object.entries(fields)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n')}\n---\n\n${body}\n`;

export function put(root: string, path: string, content: string | object): void {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content, null, 2));
}

/** Runs the agent's own program in its sandbox. */
function run(agent: SetupAgent, { environment, sandbox }: Deck, ...args: string[]): void {
  const [command = '', ...more] = [join(agentFolder(agent), agent), ...args];
  execFileSync(command, more, { env: environment, cwd: sandbox.home, stdio: 'pipe', timeout: 120_000 });
}

const { command, args, env } = mcpServers.testkit;
const server: Added = [
  'MCP servers',
  'server',
  {
    Name: 'testkit',
    Command: command,
    Arguments: args.join('\n'),
    Environment: `TESTKIT_SIGN=${env.TESTKIT_SIGN}`,
  },
];
const rule = (text: string): Added => ['Permission rules', 'rule', { Rule: text }];
const memory: Added = ['Memory files', 'memory file', { Text: VIOLET.memory }];
const hook = (event: string): Added => ['Hooks', 'hook', { Event: event, Command: `touch ${HOOK_FILE}` }];
const named = (kind: SetupRow, button: string, text: string): Added => [
  kind,
  button,
  { Name: 'violet', Text: text },
];
const described = (description: string, more: Values = {}): string =>
  frontMatter({ name: 'violet', description, ...more }, 'Look at violet.');
const skill = named('Skills', 'skill', described(VIOLET.skill));
const subagent = (text: string): Added => named('Subagents', 'subagent', text);
const slash = (text: string): Added => [
  'Slash commands',
  'command',
  { Name: VIOLET.commandName, Text: text },
];
/** The scripted model answers to the keyword. */
const violetCommand = `SCN:violetcommand ${VIOLET.command}`;
const pluginSkill = frontMatter({ name: 'plugged', description: VIOLET.plugin }, 'x');

const OLD = 'amber-old';
const NEW = 'amber-new';
const renamed = [OLD, NEW] as const;
const oddMemory = (path: string): OddFile => ({
  path,
  text: '# Odd\r\n\r\n  Remember the amber owl.\n\n\n',
  edits: [
    {
      kind: 'Memory files',
      item: '# Odd',
      by: { Text: '# Odd\n\n  Remember the amber cat.\n\n\n' },
      change: ['owl', 'cat'],
    },
  ],
});
const oddMarkdown = frontMatter({ name: 'amber', description: `'${OLD}' # why` }, '\tBody \n\n').replaceAll(
  '\n',
  '\r\n',
);
/** A file that is an item. */
const oddFile = (kind: SetupRow, path: string, text = oddMarkdown): OddFile => ({
  path,
  text,
  edits: [
    {
      kind,
      item: 'amber',
      by: { Text: text.replace(...renamed).replaceAll('\r\n', '\n') },
      change: renamed,
    },
  ],
});
const oddHook = (event: string): string =>
  `"hooks":{"${event}" :[ {"hooks":[{ "type":"command","command":"${OLD}",\n"timeout":3}]}]}`;
const editHook = (event: string): Edit => ({
  kind: 'Hooks',
  item: event,
  by: { Command: 'amber-hook' },
  change: [`"command":"${OLD}",\n"timeout"`, '"command":"amber-hook",\n"timeout"'],
});

export const ROWS: readonly AgentRow[] = [
  {
    agent: 'claude',
    added: [
      server,
      rule('Bash(touch made.txt)'),
      rule('mcp__testkit'),
      memory,
      hook('UserPromptSubmit'),
      skill,
      subagent(described(VIOLET.subagent)),
      slash(frontMatter({ description: 'Violet' }, violetCommand)),
      named(
        'Output styles',
        'output style',
        frontMatter({ name: 'violet', description: 'Violet' }, VIOLET.style),
      ),
    ],
    plugin(deck) {
      const { home } = deck.sandbox;
      put(home, 'market/.claude-plugin/marketplace.json', {
        name: 'market',
        owner: { name: 'x' },
        plugins: [{ name: 'violet', source: './violet' }],
      });
      put(home, 'market/violet/.claude-plugin/plugin.json', { name: 'violet', version: '1.0.0' });
      put(home, 'market/violet/skills/plugged/SKILL.md', pluginSkill);
      run('claude', deck, 'plugin', 'marketplace', 'add', join(home, 'market'));
      run('claude', deck, 'plugin', 'install', 'violet@market');
      run('claude', deck, 'plugin', 'disable', 'violet@market');
      return { name: 'violet@market' };
    },
    odd: [
      {
        path: '.claude/settings.json',
        text: `{\n\t"permissions":{"deny" : [ "Bash(${OLD})" ],\n\n "allow":[]} , ${oddHook('Stop')},\n\n"enabledPlugins":{\n"amber@m" :true ,"b@m":false}\n , "x":1 }`,
        edits: [
          {
            kind: 'Permission rules',
            item: OLD,
            by: { Rule: `Bash(${NEW})` },
            change: [`Bash(${OLD})`, `Bash(${NEW})`],
          },
          editHook('Stop'),
          {
            kind: 'Plugins',
            item: 'amber@m',
            by: 'turn off',
            change: ['"amber@m" :true', '"amber@m" :false'],
          },
        ],
      },
      // After an edit that ends the running agent, which writes this file, too.
      {
        path: '.claude/.claude.json',
        text: `{"numStartups" : 7,\n\n\t"mcpServers":{ "amber" :{"command":"${OLD}",   "args":[ ] , "note":1}} }\n`,
        edits: [{ kind: 'MCP servers', item: OLD, by: { Command: NEW }, change: renamed }],
      },
      oddMemory('.claude/CLAUDE.md'),
      oddFile('Skills', '.claude/skills/amber/SKILL.md'),
      oddFile('Subagents', '.claude/agents/amber.md'),
      oddFile('Slash commands', '.claude/commands/amber.md'),
      oddFile('Output styles', '.claude/output-styles/amber.md'),
    ],
  },
  {
    agent: 'codex',
    // A model that Codex doesn't know gets its subagent tools.
    config: { agents: { codex: { model: 'gpt-5.4' } } },
    added: [
      server,
      rule('touch made.txt'),
      memory,
      hook('UserPromptSubmit'),
      skill,
      subagent(
        `name = "violet"\ndescription = "${VIOLET.subagent}"\ndeveloper_instructions = "Look at violet."\n`,
      ),
    ],
    plugin(deck) {
      const { home } = deck.sandbox;
      put(home, 'market/.agents/plugins/marketplace.json', {
        name: 'market',
        interface: { displayName: 'Market' },
        plugins: [
          {
            name: 'violet',
            source: { source: 'local', path: './violet' },
            policy: { installation: 'AVAILABLE', authentication: 'ON_INSTALL' },
            category: 'Productivity',
          },
        ],
      });
      put(home, 'market/violet/.codex-plugin/plugin.json', {
        name: 'violet',
        version: '1.0.0',
        description: 'x',
        skills: './skills/',
      });
      put(home, 'market/violet/skills/plugged/SKILL.md', pluginSkill);
      run('codex', deck, 'plugin', 'marketplace', 'add', join(home, 'market'));
      run('codex', deck, 'plugin', 'add', 'violet@market');
      const config = join(home, '.codex/config.toml');
      writeFileSync(config, readFileSync(config, 'utf8').replace('enabled = true', 'enabled = false'));
      return { name: 'violet@market' };
    },
    odd: [
      {
        path: '.codex/config.toml',
        text: `# head\n[mcp_servers . "amber"]   # why\n\tcommand   =   '${OLD}' # here\nargs=[ ]\nstartup_timeout_sec = 3\n\n\n# between\n[plugins."amber@m"] # why\nenabled   = true   # on\n\n# tail`,
        edits: [
          {
            kind: 'MCP servers',
            item: OLD,
            by: { Command: NEW },
            change: [`'${OLD}'`, `"${NEW}"`],
          },
          { kind: 'Plugins', item: 'amber@m', by: 'turn off', change: ['= true', '= false'] },
        ],
      },
      {
        path: '.codex/rules/odd.rules',
        text: `# head\nprefix_rule(\n\tpattern = [ "${OLD}" ,], # why\n    decision="forbidden",\n)\n\n# tail`,
        edits: [
          {
            kind: 'Permission rules',
            item: OLD,
            by: { Rule: NEW },
            change: [`[ "${OLD}" ,]`, `["${NEW}"]`],
          },
        ],
      },
      { path: '.codex/hooks.json', text: `{ ${oddHook('Stop')},\n\n"x" : 1 }`, edits: [editHook('Stop')] },
      oddMemory('.codex/AGENTS.md'),
      oddFile('Skills', '.codex/skills/amber/SKILL.md'),
      oddFile(
        'Subagents',
        '.codex/agents/amber.toml',
        `# head\r\nname='amber'\r\ndescription = '${OLD}' # why\r\n\r\ndeveloper_instructions='''\r\nx'''\r\n`,
      ),
    ],
  },
  {
    agent: 'gemini',
    hasNoCommands: true,
    added: [
      server,
      rule('touch made.txt'),
      memory,
      hook('BeforeAgent'),
      skill,
      subagent(described(VIOLET.subagent)),
      slash(`description = "Violet"\nprompt = "${violetCommand}"\n`),
    ],
    plugin({ sandbox: { home } }) {
      put(home, '.gemini/extensions/violet/gemini-extension.json', {
        name: 'violet',
        version: '1.0.0',
        contextFileName: 'V.md',
      });
      put(home, '.gemini/extensions/violet/V.md', VIOLET.plugin);
      put(home, '.gemini/extensions/extension-enablement.json', { violet: { overrides: ['!/*'] } });
      return { name: 'violet' };
    },
    odd: [
      {
        path: '.gemini/settings.json',
        text: `// head\n{"mcpServers":{ "amber" :{"command":"${OLD}",   "trust":true} /* why */}\n\n, ${oddHook('AfterAgent')} }\n`,
        edits: [
          { kind: 'MCP servers', item: 'amber', by: { Command: NEW }, change: renamed },
          editHook('AfterAgent'),
        ],
      },
      {
        path: '.gemini/policies/odd.toml',
        text: `# head\n[[rule]] # why\n\ttoolName="run_shell_command"\ncommandPrefix   = "${OLD}" # here\ndecision = "deny"\npriority=7\n\n# tail`,
        edits: [{ kind: 'Permission rules', item: OLD, by: { Rule: NEW }, change: renamed }],
      },
      {
        path: '.gemini/extensions/extension-enablement.json',
        text: '{ "other":{"overrides" : [ "/x/*" ]},\n\n"violet":{"overrides":["!/*"] } }',
        edits: [{ kind: 'Plugins', item: 'violet', by: 'turn on', change: ['"!/*"', '"/*"'] }],
      },
      oddMemory('.gemini/GEMINI.md'),
      oddFile('Skills', '.gemini/skills/amber/SKILL.md'),
      oddFile('Subagents', '.gemini/agents/amber.md'),
      oddFile(
        'Slash commands',
        '.gemini/commands/amber.toml',
        `# head\r\ndescription = '${OLD}' # why\r\n\r\nprompt='''\r\nx'''\r\n`,
      ),
    ],
  },
  {
    agent: 'opencode',
    added: [
      server,
      rule('bash: touch made.txt'),
      memory,
      skill,
      subagent(frontMatter({ description: VIOLET.subagent, mode: 'subagent' }, 'Look.')),
      slash(frontMatter({ description: 'Violet' }, violetCommand)),
    ],
    plugin(deck) {
      const { home } = deck.sandbox;
      // OpenCode installs this package for plugins, and waits for it; the sandbox has no registry.
      const name = '@opencode-ai/plugin';
      const version = agentVersion('opencode');
      const own = { dependencies: { [name]: version } };
      put(home, '.config/opencode/package.json', own);
      put(home, '.config/opencode/package-lock.json', {
        lockfileVersion: 3,
        packages: { '': own, [`node_modules/${name}`]: { version } },
      });
      put(home, `.config/opencode/node_modules/${name}/package.json`, { name, version });
      put(
        home,
        'violet-plugin.mjs',
        `import { writeFileSync } from 'node:fs';\nexport const Violet = async () => { writeFileSync(${JSON.stringify(pluginFile(deck))}, 'x'); return {}; };\n`,
      );
      return { name: `file://${join(home, 'violet-plugin.mjs')}`, isAdded: true };
    },
    odd: [
      {
        path: '.config/opencode/opencode.json',
        text: `// head\n{"mcp":{ "amber" :{"type":"local", "command":["${OLD}"],   "enabled":true} /* why */}\n\n, "permission":{"edit" : "ask",// why\n"bash":{\t"amber *":"deny" }},\n\n"plugin" : [ "one",// why\n\t"amber-two" ],\n}`,
        edits: [
          { kind: 'MCP servers', item: OLD, by: { Command: NEW }, change: renamed },
          {
            kind: 'Permission rules',
            item: 'bash: amber *',
            by: { Decision: 'ask' },
            change: ['"amber *":"deny"', '"amber *":"ask"'],
          },
          {
            kind: 'Plugins',
            item: 'amber-two',
            by: 'remove',
            change: ['[ "one",// why\n\t"amber-two" ]', '[ "one"// why\n\t ]'],
          },
        ],
      },
      oddMemory('.config/opencode/AGENTS.md'),
      oddFile('Skills', '.config/opencode/skills/amber/SKILL.md'),
      oddFile('Subagents', '.config/opencode/agents/amber.md'),
      oddFile('Slash commands', '.config/opencode/commands/amber.md'),
    ],
  },
];
