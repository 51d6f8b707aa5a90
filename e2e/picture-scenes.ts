/** The screens of the picture tour. */
import type { Page } from 'playwright-core';
import type { PictureWorld } from './picture-world.ts';

export interface View {
  readonly page: Page;
  readonly isPhone: boolean;
  readonly world: PictureWorld;
}

export interface Scene {
  readonly show: (view: View) => Promise<void>;
  readonly leave?: (view: View) => Promise<void>;
  /** Also at 2560 pixels. */
  readonly isWide?: true;
  readonly isDesktop?: true;
  /** Not a page of the deck. */
  readonly isPlain?: true;
  /** Continues the previous scene. */
  readonly isHere?: true;
}

/** Runs a command of the palette. */
export async function command(page: Page, words: string): Promise<void> {
  await page.keyboard.press('Control+Shift+K');
  const palette = page.getByRole('dialog', { name: 'Command palette' });
  await palette.getByRole('combobox').fill(words);
  await palette.getByRole('option').first().waitFor();
  await page.keyboard.press('Enter');
  await palette.waitFor({ state: 'hidden' });
}

const pressEscape = async ({ page }: View) => {
  for (let times = 0; times < 3; times++) await page.keyboard.press('Escape');
};

export async function open({ page, isPhone, world }: View, prompt: string): Promise<void> {
  const id = world.sessions[prompt];
  await page.goto(`${world.deck.origin}/#/session/${id}`);
  await page.locator(`[data-session="${id}"]`).first().waitFor({ state: 'attached' });
  const chat = page.getByRole('tab', { name: 'Chat' }).filter({ visible: true });
  if (isPhone && (await chat.last().getAttribute('aria-selected')) !== 'true') await chat.last().click();
  const entries = page.getByRole('log', { name: 'Conversation' }).locator('article');
  if (prompt !== 'think of rain') await entries.first().waitFor();
}

const session = (prompt: string, more: Partial<Scene> = {}): Scene => ({
  show: (view) => open(view, prompt),
  ...more,
});
const after = (prompt: string, act: (view: View) => Promise<void>, more: Partial<Scene> = {}): Scene => ({
  show: async (view) => {
    await open(view, prompt);
    await act(view);
  },
  ...more,
});
const panel = (
  prompt: string,
  key: string,
  wait: (page: Page) => Promise<void>,
  more: Partial<Scene> = {},
): Scene =>
  after(
    prompt,
    async ({ page }) => {
      await page.getByRole('textbox', { name: 'Message' }).blur();
      await page.keyboard.press('g');
      await page.keyboard.press(key);
      await wait(page);
    },
    more,
  );
const palette = (words: string, wait: (page: Page) => Promise<void>, more: Partial<Scene> = {}): Scene => ({
  show: async ({ page }) => {
    await command(page, words);
    await wait(page);
  },
  leave: pressEscape,
  ...more,
});
const dialog = (page: Page) => page.getByRole('dialog').first().waitFor();
const named = (role: Parameters<Page['getByRole']>[0], name: string | RegExp) => (page: Page) =>
  page.getByRole(role, { name }).first().waitFor();

const allowed = ({ page }: View) =>
  page
    .getByRole('log', { name: 'Conversation' })
    .getByRole('button', { name: 'Allow', exact: true })
    .first()
    .waitFor();

const BUILD = 'Why is the build slow?';
const GREET = 'Greet people by their first name';
const PUBLISH = 'Publish version 0.2';
const WORKSPACE = 'Look at the login page';

async function sidebar({ page, isPhone }: View): Promise<void> {
  if (isPhone)
    await page.getByRole('navigation', { name: 'Go to' }).getByRole('button', { name: 'Sessions' }).click();
  await page.getByRole('navigation', { name: 'Projects' }).waitFor();
}

async function sessionMenu(view: View, title: RegExp): Promise<void> {
  await sidebar(view);
  await view.page
    .getByRole('navigation', { name: 'Projects' })
    .getByRole('button', { name: title })
    .first()
    .press('Enter');
  await view.page.getByRole('menu').waitFor();
}

async function workspaceChoice(page: Page, name: string | RegExp): Promise<void> {
  const menu = page.getByRole('button', { name: /^Actions for workspace/ });
  await menu.first().click();
  await page.getByRole('menuitem', { name }).click();
  await dialog(page);
}

const gitTab = (tab: string): Scene => ({
  show: async ({ page, ...view }) => {
    await open({ page, ...view }, BUILD);
    await command(page, '>Open Git');
    const git = page.getByRole('group', { name: 'Git' });
    await git.waitFor();
    await git
      .getByRole('tab', { name: tab })
      .or(git.getByRole('radio', { name: tab }))
      .or(git.getByRole('button', { name: tab }))
      .first()
      .click();
    await page.waitForTimeout(900);
  },
});

const settings = (section: string): Scene => ({
  show: async ({ page }) => {
    await command(page, '>Open settings');
    const card = page.getByRole('group', { name: 'Settings' });
    await card.getByRole('heading', { name: section, exact: true }).waitFor();
    await card
      .locator(`[data-section="${section}"]`)
      .evaluate((node) => node.scrollIntoView({ block: 'start' }));
    await page.waitForTimeout(300);
  },
});

/** The form of a new item in the agent setup. */
const setupForm = (section: string, more?: (page: Page) => Promise<void>): Scene => ({
  show: async ({ page }) => {
    await command(page, '>Open settings');
    const list = page.getByRole('group', { name: 'Settings' }).getByRole('region', { name: section });
    await list.getByRole('button', { name: /^Add / }).click();
    const form = list.getByRole('form', { name: 'New' });
    await form.waitFor();
    await more?.(page);
    await list.evaluate((node) => node.scrollIntoView({ block: 'start' }));
    await form.evaluate((node) => node.scrollIntoView({ block: 'nearest' }));
  },
});

export const SCENES: Readonly<Record<string, Scene>> = {
  home: { show: async ({ page }) => page.getByRole('article').first().waitFor(), isWide: true },
  'home-projects': {
    show: async ({ page }) => {
      await page.getByRole('button', { name: 'Group: State' }).click();
      await page.getByRole('menuitemradio', { name: 'Project' }).click();
    },
    leave: async ({ page }) => {
      await page.getByRole('button', { name: 'Group: Project' }).click();
      await page.getByRole('menuitemradio', { name: 'State' }).click();
    },
  },
  'home-group-menu': {
    show: async ({ page }) => page.getByRole('button', { name: 'Group: State' }).click(),
    leave: pressEscape,
  },
  'home-filter': {
    show: async ({ page }) => page.getByRole('searchbox', { name: 'Filter board' }).fill('page'),
  },
  'home-filter-nothing': {
    show: async ({ page }) => page.getByRole('searchbox', { name: 'Filter board' }).fill('zzz'),
  },
  'home-peek': {
    show: async ({ page }) => {
      const card = page.getByRole('article', { name: /^Greet/ });
      await card.focus();
      await page.keyboard.press(' ');
      await dialog(page);
    },
    leave: pressEscape,
  },
  'home-selected': {
    show: async ({ page }) => {
      for (const name of [/^Greet/, /^Which/]) {
        await page.getByRole('article', { name }).focus();
        await page.keyboard.press('x');
      }
    },
    leave: pressEscape,
  },
  sidebar: { show: sidebar },
  'sidebar-menu': { show: (view) => sessionMenu(view, /^Actions for Greet/), leave: pressEscape },
  'sidebar-project-menu': { show: (view) => sessionMenu(view, /^Actions for orchard/), leave: pressEscape },
  'sidebar-rename': {
    show: async (view) => {
      await sessionMenu(view, /^Actions for Greet/);
      await view.page.getByRole('menuitem', { name: 'Rename' }).click();
    },
    leave: pressEscape,
  },
  tags: {
    show: async (view) => {
      await sessionMenu(view, /^Actions for Greet/);
      await view.page.getByRole('menuitem', { name: /^Tags/ }).click();
      await dialog(view.page);
    },
    leave: pressEscape,
  },
  handoff: {
    show: async (view) => {
      await sessionMenu(view, /^Actions for (Look at the login|.*login page)/);
      await view.page.getByRole('menuitem', { name: /^Hand off/ }).click();
      await dialog(view.page);
      await view.page.waitForTimeout(1500);
    },
    leave: pressEscape,
  },
  workspaces: {
    show: async (view) => {
      await sessionMenu(view, /^Actions for orchard/);
      await view.page.getByRole('menuitem', { name: /^Workspaces/ }).click();
      await dialog(view.page);
      await view.page.waitForTimeout(1500);
    },
    leave: pressEscape,
  },
  land: {
    show: async (view) => {
      await sessionMenu(view, /^Actions for orchard/);
      await view.page.getByRole('menuitem', { name: /^Workspaces/ }).click();
      await view.page.getByRole('button', { name: 'Land…' }).first().click();
      await view.page.getByRole('dialog', { name: /^Land/ }).waitFor();
      await view.page.waitForTimeout(1500);
    },
    leave: pressEscape,
  },
  archive: {
    show: async (view) => {
      await sessionMenu(view, /^Actions for orchard/);
      await view.page.getByRole('menuitem', { name: /^Workspaces/ }).click();
      await view.page
        .getByRole('button', { name: /^Archive/ })
        .first()
        .click();
      await view.page.waitForTimeout(1500);
    },
    leave: pressEscape,
  },
  conversation: session(BUILD, { isWide: true }),
  'conversation-top': after(BUILD, async ({ page }) => {
    await page.getByRole('log', { name: 'Conversation' }).evaluate((node) => node.scrollTo(0, 0));
    await page.waitForTimeout(300);
  }),
  'conversation-footer': session(GREET),
  'conversation-permission': after(PUBLISH, allowed),
  'conversation-always': after(
    PUBLISH,
    async ({ page }) => {
      await page
        .getByRole('button', { name: /^Always allow/ })
        .first()
        .click();
      await page.waitForTimeout(500);
    },
    { leave: pressEscape },
  ),
  'conversation-question': after('ask', async ({ page }) => named('form', 'Question')(page)),
  'conversation-plan': after('plan', async ({ page }) => named('group', 'Plan')(page)),
  'conversation-edit': after('edit src/orders.ts add export const total = 41;', allowed),
  'conversation-run': after(
    'run npm test -- --test-name-pattern "prices of an order with several crates"',
    allowed,
  ),
  'conversation-long-command': after('Explain how orders are priced', allowed),
  'conversation-typed': after(
    'slow 3000',
    async ({ page }) =>
      page.getByRole('textbox', { name: 'Message' }).fill('Then tell me the end of the story'),
    {
      leave: async ({ page }) => page.getByRole('textbox', { name: 'Message' }).fill(''),
    },
  ),
  'conversation-queued': session('think of rain'),
  'conversation-failed': session('fail'),
  'conversation-subagents': session('subagents'),
  'conversation-image': session('image'),
  'conversation-workspace': session('Look at the login page'),
  'conversation-find': after(
    BUILD,
    async ({ page }) => {
      await page.getByRole('textbox', { name: 'Message' }).blur();
      await page.keyboard.press('/');
      await page.waitForTimeout(400);
      await page.keyboard.type('date');
      await page.waitForTimeout(600);
    },
    { leave: pressEscape },
  ),
  'conversation-menu': after(
    BUILD,
    async ({ page }) => {
      await page.getByRole('button', { name: 'Session actions' }).filter({ visible: true }).last().click();
      await page.getByRole('menu').waitFor();
    },
    { leave: pressEscape },
  ),
  'conversation-model': after(
    BUILD,
    async ({ page }) => {
      await page
        .getByRole('button', { name: /^Model/ })
        .first()
        .click();
      await page.waitForTimeout(400);
    },
    { leave: pressEscape },
  ),
  'conversation-mode': after(
    BUILD,
    async ({ page }) => {
      await page
        .getByRole('button', { name: /^(Mode|Permission mode)\b/ })
        .first()
        .click();
      await page.waitForTimeout(400);
    },
    { leave: pressEscape },
  ),
  'conversation-usage': after(
    BUILD,
    async ({ page }) => {
      await page
        .getByRole('button', { name: /^(Context|Usage)/ })
        .first()
        .click();
      await page.waitForTimeout(400);
    },
    { leave: pressEscape },
  ),
  'conversation-commands': after(
    BUILD,
    async ({ page }) => {
      await page.getByRole('textbox', { name: 'Message' }).fill('');
      await page.getByRole('textbox', { name: 'Message' }).pressSequentially('/');
      await page.getByRole('listbox').first().waitFor();
    },
    { leave: async ({ page }) => page.getByRole('textbox', { name: 'Message' }).fill('') },
  ),
  'conversation-files': after(
    BUILD,
    async ({ page }) => {
      await page.getByRole('textbox', { name: 'Message' }).fill('');
      await page.getByRole('textbox', { name: 'Message' }).pressSequentially('@pri');
      await page.getByRole('listbox').first().waitFor();
    },
    { leave: async ({ page }) => page.getByRole('textbox', { name: 'Message' }).fill('') },
  ),
  external: {
    show: async (view) => {
      await sidebar(view);
      await view.page
        .getByRole('navigation', { name: 'Projects' })
        .getByText('Summarize the open issues')
        .first()
        .click();
      await view.page.getByRole('log', { name: 'Conversation' }).locator('article').first().waitFor();
    },
  },
  'new-session': {
    isWide: true,
    show: async ({ page }) => {
      await page.keyboard.press('Alt+n');
      await page.getByRole('region', { name: 'New session' }).waitFor();
      await page.waitForTimeout(800);
    },
  },
  'new-session-project': {
    isHere: true,
    show: async ({ page }) =>
      page
        .getByRole('button', { name: /^Project: / })
        .filter({ visible: true })
        .click(),
    leave: pressEscape,
  },
  'new-session-agent': {
    isHere: true,
    show: async ({ page }) =>
      page
        .getByRole('button', { name: /^Agent: / })
        .filter({ visible: true })
        .click(),
    leave: pressEscape,
  },
  'new-session-workspace': {
    isHere: true,
    show: async ({ page }) => {
      await page
        .getByRole('button', { name: /^(Works in|Workspace|Where)/ })
        .filter({ visible: true })
        .first()
        .click();
    },
    leave: pressEscape,
  },
  'panel-changes': panel(GREET, 'c', named('button', /^Revert/), { isWide: true }),
  'panel-files': panel(GREET, 'f', named('treeitem', /package\.json/)),
  'panel-terminal': panel(GREET, 't', named('group', 'Terminal')),
  'panel-preview': panel(GREET, 'p', named('group', 'Preview')),
  'panel-info': after(GREET, async ({ page }) => {
    await command(page, '>Show this session’s info');
    await page.waitForTimeout(1200);
  }),
  restore: after(
    GREET,
    async ({ page }) => {
      await page.getByRole('log', { name: 'Conversation' }).evaluate((node) => node.scrollTo(0, 0));
      const message = page
        .getByRole('log', { name: 'Conversation' })
        .locator('article[data-entry-kind=user]')
        .first();
      await message.getByRole('button', { name: 'Restore to here' }).focus();
      await message.getByRole('button', { name: 'Restore to here' }).click();
      await dialog(page);
      await page.waitForTimeout(1500);
    },
    { leave: pressEscape },
  ),
  timeline: after(GREET, async ({ page }) => {
    await page.keyboard.press('Alt+Shift+N');
    await page.getByRole('dialog', { name: 'New tab' }).waitFor();
    await page.keyboard.press('l');
    await page.getByRole('list', { name: /newest first/ }).waitFor();
    await page.waitForTimeout(500);
  }),
  picker: after(
    GREET,
    async ({ page }) => {
      await page.keyboard.press('Alt+Shift+N');
      await page.getByRole('dialog', { name: 'New tab' }).waitFor();
    },
    { leave: pressEscape },
  ),
  'git-changes': gitTab('Changes'),
  'git-history': gitTab('History'),
  'git-branches': gitTab('Branches'),
  'git-stashes': gitTab('Stashes'),
  'git-worktrees': gitTab('Worktrees'),
  stats: palette('>Open stats', async (page) => {
    await named('group', 'Stats')(page);
    await page.waitForTimeout(3000);
  }),
  inbox: palette('>Open inbox', async (page) => {
    await page.waitForTimeout(1000);
  }),
  help: palette('>Open help', async (page) => {
    await page.waitForTimeout(600);
  }),
  search: palette('>Search all conversations', async (page) => {
    const box = page.getByRole('combobox', { name: 'Search all conversations' });
    await box.fill('build');
    await page.getByRole('listbox', { name: 'Results' }).getByRole('option').first().waitFor();
  }),
  'search-nothing': palette('>Search all conversations', async (page) => {
    await page.getByRole('combobox', { name: 'Search all conversations' }).fill('xylophone');
    await page.waitForTimeout(1200);
  }),
  'search-empty': palette('>Search all conversations', dialog),
  palette: after(
    BUILD,
    async ({ page }) => {
      await page.keyboard.press('Control+Shift+K');
      await dialog(page);
    },
    { leave: pressEscape },
  ),
  'palette-sessions': {
    show: async ({ page }) => {
      await page.keyboard.press('Control+Shift+K');
      await dialog(page);
      await page.keyboard.type('#');
    },
    leave: pressEscape,
  },
  'palette-typed': {
    show: async ({ page }) => {
      await page.keyboard.press('Control+Shift+K');
      await dialog(page);
      await page.keyboard.type('page');
    },
    leave: pressEscape,
  },
  'palette-nothing': after(
    BUILD,
    async ({ page }) => {
      await page.keyboard.press('Control+Shift+K');
      await dialog(page);
      await page.keyboard.type('xylophone');
    },
    { leave: pressEscape },
  ),
  'quick-open': palette('>Go to file', dialog),
  keyboard: palette('>Keyboard shortcuts', dialog),
  layouts: {
    isDesktop: true,
    show: async ({ page }) => {
      await page.getByRole('banner').getByRole('button', { name: 'Layouts' }).click();
      await page.waitForTimeout(300);
    },
    leave: pressEscape,
  },
  'add-project': palette('>Add project', async (page) => {
    await dialog(page);
    await page.waitForTimeout(800);
  }),
  'run-menu': after(
    WORKSPACE,
    async ({ page }) => {
      await page.getByRole('button', { name: /^Run/ }).first().click();
      await page.waitForTimeout(400);
    },
    { leave: pressEscape },
  ),
  'workspace-menu': after(
    WORKSPACE,
    async ({ page }) => {
      await page
        .getByRole('button', { name: /^Actions for workspace/ })
        .first()
        .click();
      await page.getByRole('menu').waitFor();
    },
    { leave: pressEscape },
  ),
  push: after(
    WORKSPACE,
    async ({ page }) => {
      await workspaceChoice(page, 'Push…');
      await page.waitForTimeout(1000);
    },
    { leave: pressEscape },
  ),
  'pull-request': after(
    WORKSPACE,
    async ({ page }) => {
      await workspaceChoice(page, /^Pull request/);
      await page.waitForTimeout(1000);
    },
    { leave: pressEscape },
  ),
  outside: after(
    BUILD,
    async ({ page }) => {
      await command(page, '>Open folder outside');
      await dialog(page);
      await page.waitForTimeout(600);
    },
    { leave: pressEscape },
  ),
  'settings-general': settings('General'),
  'settings-appearance': settings('Appearance'),
  'settings-agents': settings('Agents'),
  'settings-setup': settings('Agent setup'),
  'setup-server': setupForm('MCP servers'),
  'setup-server-url': setupForm('MCP servers', async (page) => {
    await page.getByRole('form', { name: 'New' }).getByLabel('Type').selectOption('URL');
  }),
  'setup-rule': setupForm('Permission rules'),
  'setup-memory': setupForm('Memory files'),
  'setup-hook': setupForm('Hooks'),
  'setup-skill': setupForm('Skills'),
  'setup-subagent': setupForm('Subagents'),
  'setup-command': setupForm('Slash commands'),
  'setup-plugin': setupForm('Plugins'),
  'setup-style': setupForm('Output styles'),
  'setup-review': {
    ...setupForm('Permission rules', async (page) => {
      const form = page.getByRole('form', { name: 'New' });
      await form.getByLabel('Rule').fill('Bash(npm run build)');
      await form.getByRole('button', { name: 'Preview' }).click();
      await dialog(page);
    }),
    leave: pressEscape,
  },
  'settings-permissions': settings('Permissions'),
  'settings-access': settings('Access'),
  'settings-shortcuts': settings('Shortcuts'),
  'settings-data': settings('Data'),
  file: after(BUILD, async ({ page }) => {
    await command(page, '>Go to file');
    await page.getByRole('dialog').getByRole('combobox').fill('prices');
    await page.getByRole('dialog').getByRole('option').first().waitFor();
    await page.keyboard.press('Enter');
    await page.waitForTimeout(1500);
  }),
  'conversation-api-error': session('Check the API'),
  'preview-app': after(GREET, async ({ page, world }) => {
    const port = await world.startApp();
    await page.getByRole('textbox', { name: 'Message' }).blur();
    await page.keyboard.press('g');
    await page.keyboard.press('p');
    const field = page.getByRole('textbox', { name: 'Preview address' });
    await field.fill(`localhost:${port}`);
    await field.press('Enter');
    await page.frameLocator('iframe.preview-frame').locator('#facts').waitFor();
  }),
  trust: {
    show: async (view) => {
      await sidebar(view);
      const { page } = view;
      const head = page.locator('.project-head', { hasText: 'garden' });
      await head.hover();
      await head.getByRole('button', { name: 'Start a session in garden' }).click();
      await page
        .getByRole('button', { name: /^Agent: / })
        .filter({ visible: true })
        .waitFor();
      await page.getByRole('textbox', { name: 'Message' }).fill('h');
      await page.getByRole('dialog').first().waitFor();
      await page.waitForTimeout(800);
    },
    leave: pressEscape,
  },
  machine: {
    show: async (view) => {
      await sidebar(view);
      const { page } = view;
      const head = page.locator('.project-head', { hasText: 'shop' });
      await head.hover();
      await head.getByRole('button', { name: 'Start a session in shop' }).click();
      await page.getByRole('button', { name: /^Project: shop/ }).waitFor();
      await page
        .getByRole('textbox', { name: 'Message' })
        .fill(`think of a ${view.isPhone ? 'river' : 'lake'}`);
      await page.keyboard.press('Enter');
      await page.locator('article[data-entry-kind=text]').first().waitFor();
    },
  },
  'machine-offline': {
    show: async (view) => {
      if (!view.isPhone) view.world.cut();
      await sidebar(view);
      const list = view.page.getByRole('navigation', { name: 'Projects' });
      await list.getByText('think of a lake').first().click();
      await view.page.getByRole('note').filter({ hasText: 'offline' }).waitFor();
    },
  },
  'machine-offline-home': { show: async ({ page }) => page.getByRole('article').first().waitFor() },
  restored: {
    show: async (view) => {
      const { page, isPhone } = view;
      await open(view, GREET);
      const log = page.getByRole('log', { name: 'Conversation' });
      const line = log.getByText(/^Restored /);
      if (!isPhone) {
        const restore = log.getByRole('button', { name: 'Restore to here' }).first();
        await restore.focus();
        await restore.click();
        await dialog(page);
        await page.getByRole('dialog').getByRole('button', { name: 'Restore', exact: true }).click();
      }
      await line.first().waitFor();
    },
  },
  'restored-hidden': {
    isHere: true,
    show: async ({ page }) => {
      const log = page.getByRole('log', { name: 'Conversation' });
      await log.getByRole('button', { name: 'Show', exact: true }).click();
      await log.locator('.set-aside').first().waitFor();
    },
  },
  stopped: {
    isPlain: true,
    show: async ({ page, world }) => {
      await page.goto(`${world.deck.origin}/#/home`);
      await page.getByRole('region', { name: 'Home' }).waitFor();
      await world.deck.run('stop');
      await page.getByRole('alert').first().waitFor();
    },
    leave: async ({ world }) => void (await world.deck.startServer()),
  },
  grid: {
    isDesktop: true,
    isWide: true,
    show: async ({ page }) => {
      await command(page, '>Layout: grid of sessions');
      await page.waitForTimeout(2000);
    },
  },
  'not-found': {
    isPlain: true,
    show: async ({ page, world }) => void (await page.goto(`${world.deck.origin}/nothing-here`)),
  },
  'signed-out': {
    isPlain: true,
    show: async ({ page, world }) => {
      await page.evaluate(async () => {
        localStorage.clear();
        sessionStorage.clear();
        for (const { name } of await indexedDB.databases()) if (name) indexedDB.deleteDatabase(name);
      });
      await page.goto(`${world.deck.origin}/`);
      await page.waitForTimeout(2500);
    },
  },
  'bad-link': {
    isPlain: true,
    show: async ({ page, world }) => {
      await page.goto(`${world.deck.origin}/in/not-a-token`);
      await page.waitForTimeout(1500);
    },
  },
};
