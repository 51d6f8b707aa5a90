/**
 * What agents are made of (A61), by kind and agent: added in the page and used in the next turn, changed by hand and
 * shown, edited in a file with odd formatting. Writes the second table of docs/agents.md. Full tier only.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { agentFolder, whyMissing } from '@tugdeck/testkit/agents';
import { closeBrowser, screenshot } from '@tugdeck/testkit/browser';
import { echoOf, mcpServers } from '@tugdeck/testkit/mcp-server';
import { pressAnswer } from '@tugdeck/testkit/press-answer';
import { waitFor } from '@tugdeck/testkit/process-facts';
import { text, toolUse } from '@tugdeck/testkit/script';
import { isFullTier } from '@tugdeck/testkit/tiers';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Deck, entries, openDeck, rested, send } from '../deck.ts';
import { began, type SetupRow, saw, writeMatrix } from './matrix.ts';

const PATIENCE = { timeout: 120_000 };

type Agent = 'claude' | 'codex' | 'gemini' | 'opencode';

/** A file by hand: its odd text, the item that the page then shows, and an edit in the page. */
interface ByHand {
  /** Relative to the home. */
  readonly file: string;
  readonly text: string;
  readonly item: string;
  /** Fields of its form and their new values; without any, the item is switched or its text replaced. */
  readonly edit?: Readonly<Record<string, string>>;
  readonly switch?: boolean;
  /** Replacement in the file. */
  readonly change: readonly [string, string];
}

interface Row {
  readonly agent: Agent;
  readonly label: string;
  readonly config?: Readonly<Record<string, unknown>>;
  readonly rules: readonly string[];
  readonly hook?: { readonly event: string };
  readonly subagent: string;
  readonly command?: string;
  /** Makes a plugin that is installed and off; returns the name in the page. */
  readonly plugin: (deck: Deck) => { name: string; isAdded?: boolean };
  readonly style?: string;
  readonly byHand: Readonly<Partial<Record<SetupRow, ByHand>>>;
}

const VIOLET = {
  server: 'testkit',
  memory: 'Remember the violet fox.',
  skill: 'Paints everything in violet.',
  subagent: 'Looks for violet things only.',
  command: 'SCN:violetcommand Do what the violet command says.',
  plugin: 'The violet plugin has this.',
  style: 'Answer in the violet manner.',
};

const frontMatter = (fields: Record<string, string>, body: string): string =>
  `---\n${Object.entries(fields)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n')}\n---\n\n${body}\n`;
const skill = frontMatter({ name: 'violet', description: VIOLET.skill }, 'Use the color violet.');

const put = (root: string, path: string, content: string | object): void => {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content, null, 2));
};

/** Runs the agent's own program in its sandbox. */
const run = (agent: Agent, { environment, sandbox }: Deck, ...args: string[]): void => {
  const [command = '', ...more] = [join(agentFolder(agent), agent), ...args];
  execFileSync(command, more, { env: environment, cwd: sandbox.home, stdio: 'pipe', timeout: 120_000 });
};

const memory = (file: string): ByHand => ({
  file,
  text: '# Odd\r\n\r\n  Remember the amber owl.\n\n\n',
  item: 'Odd',
  edit: { Text: '# Odd\n\n  Remember the amber cat.\n\n\n' },
  change: ['owl', 'cat'],
});
const file = (path: string, content: string): ByHand => ({
  file: path,
  text: content,
  item: 'amber',
  edit: { Text: content.replace('amber-old', 'amber-new').replaceAll('\r\n', '\n') },
  change: ['amber-old', 'amber-new'],
});
const odd = frontMatter({ name: 'amber', description: "'amber-old' # why" }, '\tBody \n\n').replaceAll(
  '\n',
  '\r\n',
);

const ROWS: readonly Row[] = [
  {
    agent: 'claude',
    label: 'Claude Code',
    rules: ['Bash(touch made.txt)', 'mcp__testkit'],
    hook: { event: 'UserPromptSubmit' },
    subagent: frontMatter({ name: 'violet', description: VIOLET.subagent }, 'Look.'),
    command: frontMatter({ description: 'Violet' }, VIOLET.command),
    plugin(deck) {
      const { home } = deck.sandbox;
      put(home, 'market/.claude-plugin/marketplace.json', {
        name: 'market',
        owner: { name: 'x' },
        plugins: [{ name: 'violet', source: './violet' }],
      });
      put(home, 'market/violet/.claude-plugin/plugin.json', { name: 'violet', version: '1.0.0' });
      put(
        home,
        'market/violet/skills/plugged/SKILL.md',
        frontMatter({ name: 'plugged', description: VIOLET.plugin }, 'x'),
      );
      run('claude', deck, 'plugin', 'marketplace', 'add', join(home, 'market'));
      run('claude', deck, 'plugin', 'install', 'violet@market');
      run('claude', deck, 'plugin', 'disable', 'violet@market');
      return { name: 'violet@market' };
    },
    style: frontMatter({ name: 'violet', description: 'Violet' }, VIOLET.style),
    byHand: {
      'MCP servers': {
        file: '.claude/.claude.json',
        text: '{"numStartups" : 7,\n\n\t"mcpServers":{ "amber" :{"command":"amber-old",   "args":[ ] , "note":1}} }\n',
        item: 'server amber',
        edit: { Command: 'amber-new' },
        change: ['amber-old', 'amber-new'],
      },
      'Permission rules': {
        file: '.claude/settings.json',
        text: '{\n\t"permissions":{"deny" : [ "Bash(amber-old)" ],\n\n "allow":[]} , "x":1 }',
        item: 'rule Bash(amber-old)',
        edit: { Rule: 'Bash(amber-new)' },
        change: ['amber-old', 'amber-new'],
      },
      'Memory files': memory('.claude/CLAUDE.md'),
      Hooks: {
        file: '.claude/settings.json',
        text: '{ "hooks":{"Stop" :[ {"hooks":[{ "type":"command","command":"amber-old",\n"timeout":3}]}]},\n\n"x" : 1 }',
        item: 'hook Stop',
        edit: { Command: 'amber-new' },
        change: ['amber-old', 'amber-new'],
      },
      Skills: file('.claude/skills/amber/SKILL.md', odd),
      Subagents: file('.claude/agents/amber.md', odd),
      'Slash commands': file('.claude/commands/amber.md', odd),
      Plugins: {
        file: '.claude/settings.json',
        text: '{ "enabledPlugins":{\n"amber@m" :true ,"b@m":false}\n\n}',
        item: 'plugin amber@m',
        switch: true,
        change: ['"amber@m" :true', '"amber@m" :false'],
      },
      'Output styles': file('.claude/output-styles/amber.md', odd),
    },
  },
  {
    agent: 'codex',
    label: 'Codex',
    // A model that Codex doesn't know gets its subagent tools.
    config: { agents: { codex: { model: 'gpt-5.4' } } },
    rules: ['touch made.txt'],
    hook: { event: 'UserPromptSubmit' },
    subagent: `name = "violet"\ndescription = "${VIOLET.subagent}"\ndeveloper_instructions = "Look."\n`,
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
      put(
        home,
        'market/violet/skills/plugged/SKILL.md',
        frontMatter({ name: 'plugged', description: VIOLET.plugin }, 'x'),
      );
      run('codex', deck, 'plugin', 'marketplace', 'add', join(home, 'market'));
      run('codex', deck, 'plugin', 'add', 'violet@market');
      const config = join(home, '.codex/config.toml');
      writeFileSync(config, readFileSync(config, 'utf8').replace('enabled = true', 'enabled = false'));
      return { name: 'violet@market' };
    },
    byHand: {
      'MCP servers': {
        file: '.codex/config.toml',
        text: '# head\n[mcp_servers . "amber"]   # why\n\tcommand   =   \'amber-old\' # here\nargs=[ ]\nstartup_timeout_sec = 3\n\n\n# tail',
        item: 'server amber',
        edit: { Command: 'amber-new' },
        change: ["'amber-old'", '"amber-new"'],
      },
      'Permission rules': {
        file: '.codex/rules/odd.rules',
        text: '# head\nprefix_rule(\n\tpattern = [ "amber-old" ,], # why\n    decision="forbidden",\n)\n\n# tail',
        item: 'rule amber-old',
        edit: { Rule: 'amber-new' },
        change: ['[ "amber-old" ,]', '["amber-new"]'],
      },
      'Memory files': memory('.codex/AGENTS.md'),
      Hooks: {
        file: '.codex/hooks.json',
        text: '{ "hooks":{"Stop" :[ {"hooks":[{ "type":"command","command":"amber-old",\n"timeout":3}]}]},\n\n"x" : 1 }',
        item: 'hook Stop',
        edit: { Command: 'amber-new' },
        change: ['amber-old', 'amber-new'],
      },
      Skills: file('.codex/skills/amber/SKILL.md', odd),
      Subagents: file(
        '.codex/agents/amber.toml',
        "# head\r\nname='amber'\r\ndescription = 'amber-old' # why\r\n\r\ndeveloper_instructions='''\r\nx'''\r\n",
      ),
      Plugins: {
        file: '.codex/config.toml',
        text: '# head\n[plugins."amber@m"] # why\nenabled   = true   # on\n\n# tail',
        item: 'plugin amber@m',
        switch: true,
        change: ['= true', '= false'],
      },
    },
  },
  {
    agent: 'gemini',
    label: 'Gemini',
    rules: ['touch made.txt'],
    hook: { event: 'BeforeAgent' },
    subagent: frontMatter({ name: 'violet', description: VIOLET.subagent }, 'Look.'),
    command: `description = "Violet"\nprompt = "${VIOLET.command}"\n`,
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
    byHand: {
      'MCP servers': {
        file: '.gemini/settings.json',
        text: '// head\n{"mcpServers":{ "amber" :{"command":"amber-old",   "trust":true} /* why */}\n\n}\n',
        item: 'server amber',
        edit: { Command: 'amber-new' },
        change: ['amber-old', 'amber-new'],
      },
      'Permission rules': {
        file: '.gemini/policies/odd.toml',
        text: '# head\n[[rule]] # why\n\ttoolName="run_shell_command"\ncommandPrefix   = "amber-old" # here\ndecision = "deny"\npriority=7\n\n# tail',
        item: 'rule amber-old',
        edit: { Rule: 'amber-new' },
        change: ['amber-old', 'amber-new'],
      },
      'Memory files': memory('.gemini/GEMINI.md'),
      Hooks: {
        file: '.gemini/settings.json',
        text: '{ // why\n"hooks":{"AfterAgent" :[ {"hooks":[{ "type":"command","command":"amber-old",\n"timeout":3}]}]},\n\n"x" : 1 }',
        item: 'hook AfterAgent',
        edit: { Command: 'amber-new' },
        change: ['amber-old', 'amber-new'],
      },
      Skills: file('.gemini/skills/amber/SKILL.md', odd),
      Subagents: file('.gemini/agents/amber.md', odd),
      'Slash commands': file(
        '.gemini/commands/amber.toml',
        "# head\r\ndescription = 'amber-old' # why\r\n\r\nprompt='''\r\nx'''\r\n",
      ),
      Plugins: {
        file: '.gemini/extensions/extension-enablement.json',
        text: '{ "other":{"overrides" : [ "/x/*" ]},\n\n"violet":{"overrides":["!/*"] } }',
        item: 'plugin violet',
        switch: true,
        change: ['"!/*"', '"/*"'],
      },
    },
  },
  {
    agent: 'opencode',
    label: 'OpenCode',
    rules: ['bash: touch made.txt'],
    subagent: frontMatter({ description: VIOLET.subagent, mode: 'subagent' }, 'Look.'),
    command: frontMatter({ description: 'Violet' }, VIOLET.command),
    plugin({ sandbox: { home, root } }) {
      put(
        home,
        'violet-plugin.mjs',
        `import { writeFileSync } from 'node:fs';\nexport const Violet = async () => { writeFileSync(${JSON.stringify(join(root, 'plugin-ran'))}, 'x'); return {}; };\n`,
      );
      return { name: `file://${join(home, 'violet-plugin.mjs')}`, isAdded: true };
    },
    byHand: {
      'MCP servers': {
        file: '.config/opencode/opencode.json',
        text: '// head\n{"mcp":{ "amber" :{"type":"local", "command":["amber-old"],   "enabled":true} /* why */}\n\n}\n',
        item: 'server amber',
        edit: { Command: 'amber-new' },
        change: ['amber-old', 'amber-new'],
      },
      'Permission rules': {
        file: '.config/opencode/opencode.json',
        text: '{ "permission":{"edit" : "ask",// why\n"bash":{\t"amber *":"deny" }},\n\n}',
        item: 'rule bash: amber *',
        edit: { Decision: 'ask' },
        change: ['"amber *":"deny"', '"amber *":"ask"'],
      },
      'Memory files': memory('.config/opencode/AGENTS.md'),
      Skills: file('.config/opencode/skills/amber/SKILL.md', odd),
      Subagents: file('.config/opencode/agents/amber.md', odd),
      'Slash commands': file('.config/opencode/commands/amber.md', odd),
      Plugins: {
        file: '.config/opencode/opencode.json',
        text: '{ "plugin" : [ "one",// why\n\t"amber-old" ],\n\n}',
        item: 'plugin amber-old',
        change: ['[ "one",// why\n\t"amber-old" ]', '[ "one"// why\n\t ]'],
      },
    },
  },
];

for (const row of ROWS) {
  describe.skipIf(!isFullTier || whyMissing(row.agent) !== undefined)(row.agent, () => scenes(row));
}

afterAll(async () => {
  await closeBrowser();
  if (isFullTier) writeMatrix();
});

function scenes(row: Row): void {
  const { agent, label } = row;
  let deck: Deck;
  let page: Page;
  let settings: Locator;
  let plugin: ReturnType<Row['plugin']>;
  const used = new Set<SetupRow>();
  const kind = (name: SetupRow): Locator => settings.getByRole('region', { name, exact: true });
  const tell = (name: SetupRow, more: string): void =>
    saw(agent, name, [used.has(name) ? 'used' : '', more].filter(Boolean).join(', ') || '–');

  beforeAll(async () => {
    deck = await openDeck({ agent, ...(row.config ? { config: row.config } : {}) });
    plugin = row.plugin(deck);
    ({ page } = await deck.page());
    page.setDefaultTimeout(PATIENCE.timeout);
    await send(page, 'SCN:text before');
    await rested(page);
    await command(page, 'open settings');
    settings = page.getByRole('group', { name: 'Settings' });
    await settings.getByRole('combobox', { name: 'Agent', exact: true }).selectOption({ label });
  });
  afterAll(() => deck?.close());

  /** Fills the form and writes the file. */
  async function add(
    name: SetupRow,
    button: string,
    fields: Readonly<Record<string, string>>,
  ): Promise<void> {
    began(agent, [name]);
    await kind(name)
      .getByRole('button', { name: `Add ${button}` })
      .click();
    await fill(kind(name), fields);
    await write(page, kind(name).getByRole('button', { name: 'Preview' }));
    await kind(name).getByRole('form').waitFor({ state: 'hidden' });
  }

  test('A61 everything added in the page is used in the next turn', async () => {
    const hookRan = join(deck.sandbox.root, 'hook-ran');
    const { command: program, args, env } = mcpServers.testkit;
    await add('MCP servers', 'server', {
      Name: VIOLET.server,
      Command: program,
      Arguments: args.join('\n'),
      Environment: `TESTKIT_SIGN=${env.TESTKIT_SIGN}`,
    });
    for (const rule of row.rules) await add('Permission rules', 'rule', { Rule: rule });
    await add('Memory files', 'memory file', { Text: VIOLET.memory });
    if (row.hook) {
      await add('Hooks', 'hook', { Event: row.hook.event, Command: `touch ${hookRan}` });
      const trust = kind('Hooks').getByRole('checkbox', { name: `Trust hook ${row.hook.event}` });
      if (agent === 'codex') await write(page, trust);
    }
    await add('Skills', 'skill', { Name: 'violet', Text: skill });
    await add('Subagents', 'subagent', { Name: 'violet', Text: row.subagent });
    if (row.command) await add('Slash commands', 'command', { Name: 'violet', Text: row.command });
    if (row.style) await add('Output styles', 'output style', { Name: 'violet', Text: row.style });
    if (plugin.isAdded) await add('Plugins', 'plugin', { Name: plugin.name });
    else await write(page, kind('Plugins').getByRole('checkbox', { name: `Use plugin ${plugin.name}` }));
    await screenshot(page, `setup-matrix-${agent}`);

    deck.fake.script('use', [
      toolUse('Bash', { command: 'touch made.txt', description: 'Make it' }),
      toolUse('mcp__testkit__echo', { text: 'ahoy' }),
      text('Both were used.'),
    ]);
    await send(page, 'SCN:use');
    const answered = entries(page, 'text', 'complete').filter({ hasText: 'Both were used.' });
    const allow = page.getByRole('button', { name: /^Allow/ }).first();
    await answered.or(allow).first().waitFor();
    const made = join(deck.sandbox.project, 'made.txt');
    if (await allow.isVisible()) {
      // Only a tool of a server may ask, and only where the agent has no rules for them.
      if (existsSync(made)) await pressAnswer(allow);
      else await page.getByRole('button', { name: 'Stop', exact: true }).click();
    }
    await rested(page);
    const { body } = await deck.fake.called({ kind: 'answer', keyword: 'use', step: 2 });
    const request = JSON.stringify(body);
    const facts: readonly (readonly [SetupRow, boolean])[] = [
      ['MCP servers', request.includes(echoOf('ahoy'))],
      ['Permission rules', existsSync(made)],
      ['Memory files', request.includes(VIOLET.memory)],
      ...(row.hook ? [['Hooks', existsSync(hookRan)] as const] : []),
      ['Skills', request.includes(VIOLET.skill)],
      ['Subagents', request.includes(VIOLET.subagent)],
      ['Plugins', request.includes(VIOLET.plugin) || existsSync(join(deck.sandbox.root, 'plugin-ran'))],
    ];
    for (const [name, isUsed] of facts) if (isUsed) used.add(name);
    for (const name of used) tell(name, '');
    expect(Object.fromEntries(facts)).toEqual(Object.fromEntries(facts.map(([name]) => [name, true])));
  });

  test.skipIf(!row.command)('A61 a slash command added in the page is sent by its name', async () => {
    deck.fake.script('violetcommand', [text('The command was done.')]);
    await send(page, '/violet');
    await entries(page, 'text', 'complete').filter({ hasText: 'The command was done.' }).waitFor();
    await rested(page);
    const { body } = await deck.fake.called({ kind: 'answer', keyword: 'violetcommand' });
    expect(JSON.stringify(body)).toContain('Do what the violet command says.');
    used.add('Slash commands');
    tell('Slash commands', '');
  });

  test.skipIf(!row.style)('A61 an output style added in the page can be chosen', async () => {
    await page.getByRole('button', { name: /^Output style: / }).click();
    await page.getByRole('menuitemradio', { name: /^violet/ }).click();
    await page.getByRole('button', { name: 'Output style: violet' }).waitFor();
    await send(page, 'SCN:text styled');
    await rested(page);
    await waitFor(() => JSON.stringify(deck.fake.requests.at(-1)?.body ?? '').includes(VIOLET.style), {
      what: 'the style in a model request',
    });
    used.add('Output styles');
    tell('Output styles', '');
  });

  for (const [name, hand] of Object.entries(row.byHand) as [SetupRow, ByHand][]) {
    test(`A61 ${name}: a change by hand is shown, and an edit keeps the formatting`, async () => {
      const path = join(deck.sandbox.home, hand.file);
      if (name === 'Plugins' && agent === 'gemini') row.plugin(deck);
      put(deck.sandbox.home, hand.file, hand.text);
      const item =
        name === 'Memory files'
          ? kind(name).getByRole('listitem').filter({ hasText: hand.item })
          : kind(name)
              .getByRole('listitem')
              .filter({ hasText: hand.item.replace(/^\w+ /, '') });
      await item.first().waitFor();
      tell(name, 'shown');
      if (hand.switch) {
        const box = item.first().getByRole('checkbox');
        await write(page, box);
      } else if (hand.edit) {
        await item
          .first()
          .getByRole('button', { name: /^Edit / })
          .click();
        await fill(kind(name), hand.edit);
        await write(page, kind(name).getByRole('button', { name: 'Preview' }));
      } else await write(page, item.first().getByRole('button', { name: /^Remove / }));
      expect(readFileSync(path, 'utf8')).toBe(hand.text.replace(...hand.change));
      tell(name, 'shown, kept');
    });
  }
}

async function fill(form: Locator, fields: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, value] of Object.entries(fields)) {
    const named = { name, exact: true };
    const inForm = form.getByRole('form');
    const field = inForm.getByRole('textbox', named).or(inForm.getByRole('combobox', named));
    if ((await field.evaluate((node) => node.tagName)) === 'SELECT') await field.selectOption(value);
    else await field.fill(value);
  }
}

/** From a button through the difference to the file. */
async function write(page: Page, button: Locator): Promise<void> {
  await button.click();
  const dialog = page.getByRole('dialog', { name: /this file\?$/ });
  await dialog.getByRole('region', { name: 'Difference' }).getByRole('row').first().waitFor();
  await pressAnswer(dialog.getByRole('button', { name: 'Write file' }));
  await dialog.waitFor({ state: 'hidden' });
}

async function command(page: Page, words: string): Promise<void> {
  await page.keyboard.press('Control+k');
  const palette = page.getByRole('dialog', { name: 'Command palette' });
  await palette.getByRole('combobox').fill(words);
  await palette.getByRole('option').first().waitFor();
  await page.keyboard.press('Enter');
  await palette.waitFor({ state: 'hidden' });
}
