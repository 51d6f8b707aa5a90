import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { closeBrowser } from '@tugdeck/testkit/browser';
import { pressAnswer } from '@tugdeck/testkit/press-answer';
import { hold, type Step, text, thinking, toolUse } from '@tugdeck/testkit/script';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Deck, entries, openDeck, rested, send } from './deck.ts';

/** Screenshots for the documentation: taken by `npm run test:full`, reviewed before they are committed. */
const isWanted = process.env.TUGDECK_TEST_FULL === '1' || process.env.TUGDECK_SCREENS === '1';
const folder = fileURLToPath(new URL('../docs/screens/', import.meta.url));

let deck: Deck;
beforeAll(async () => {
  if (!isWanted) return;
  deck = await openDeck({
    projectName: 'orchard',
    files: {
      'src/greet.ts': GREET,
      'test/greet.test.ts': "import { greet } from '../src/greet.ts';\n",
      'package.json': '{ "name": "orchard", "type": "module" }\n',
    },
  });
  deck.fake.script('unmarked', ({ cwd }) => [
    [
      thinking('The greeting ignores spaces around the name. I’ll read the function first.'),
      text('I’ll look at the function and its test first.'),
      toolUse('Read', { file_path: join(cwd, 'src/greet.ts') }),
      toolUse('Read', { file_path: join(cwd, 'test/greet.test.ts') }),
    ],
    [
      text(EXPLANATION),
      toolUse('Edit', {
        file_path: join(cwd, 'src/greet.ts'),
        old_string: "  return 'Hello ' + name;",
        // biome-ignore lint/suspicious/noTemplateCurlyInString: this is the text of the edited file
        new_string: "  const whom = name.trim();\n  return `Hello, ${whom || 'stranger'}!`;",
      }),
    ],
    [
      text('Now the tests, to be sure.'),
      toolUse('Bash', {
        command: 'npm test -- --run greet && git diff --stat',
        description: 'Run the tests',
      }),
    ],
    text('Done.'),
  ]);
});
afterAll(async () => {
  await deck?.close();
  await closeBrowser();
});

const GREET = `export function greet(name: string): string {
  return 'Hello ' + name;
}

console.log(greet('deck'));
`;
const EXPLANATION = `The name is used **as it was typed**, so \`greet(' Ada ')\` returns \`Hello  Ada \`. Two changes:

1. Trim the name before it is used.
2. Greet a stranger when nothing is left.

| Input | Today | After |
|---|---|---|
| \`'Ada'\` | Hello Ada | Hello, Ada! |
| \`'  '\` | Hello | Hello, stranger! |
`;

async function reach(page: Page): Promise<void> {
  await send(page, 'The greeting looks odd when the name has spaces around it. Please fix it.');
  const request = page.getByRole('group', { name: /^Permission: / });
  await request.getByRole('cell', { name: /const whom/ }).waitFor();
  await pressAnswer(request.getByRole('button', { name: 'Allow', exact: true }));
  await request.getByText('npm test', { exact: false }).first().waitFor();
}

test.runIf(isWanted)('C1 C4 C6 screenshots for the documentation', async () => {
  const { page } = await deck.page({ width: 1280, height: 860 });
  await reach(page);
  await page.screenshot({ path: join(folder, 'conversation.png') });
  for (const [name, theme, width, height] of [
    ['conversation-light', 'light', 1280, 860],
    ['conversation-phone', 'dark', 400, 860],
    ['conversation-wide', 'dark', 1920, 1080],
  ] as const) {
    const other = await deck.page({ theme });
    await other.page.setViewportSize({ width, height });
    await other.page.getByRole('group', { name: /^Permission: / }).waitFor();
    await other.page.screenshot({ path: join(folder, `${name}.png`) });
    await other.close();
  }
  await pressAnswer(
    page.getByRole('group', { name: /^Permission: / }).getByRole('button', { name: 'Deny', exact: true }),
  );
  await entries(page, 'text', 'complete').getByText('Done.').waitFor();
  await rested(page);
});

const SUITE = 'npm test -- --run';
const edit = (cwd: string, file: string, content: string) =>
  toolUse('Write', { file_path: join(cwd, file), content });
const asks = (why: string, command: string): Step[] => [
  [text(why), toolUse('Bash', { command })],
  text('Done.'),
];
const works = (words: string): Step[] => [text([words, hold('for the picture')])];

/** Twelve prompts with the scripts of their answers. */
const FLEET: Readonly<Record<string, (cwd: string) => readonly Step[]>> = {
  'Publish version 0.2': () =>
    asks('Everything is committed. I’ll publish it now.', 'npm publish --tag next'),
  'Find out why the build is slow': () =>
    asks('I’ll measure it first.', 'npx tsc --extendedDiagnostics | head -30'),
  'Rename orchards to groves': () => asks('Three files changed. I’ll run the tests.', SUITE),
  'Fix the flaky reconnect test': () =>
    works('The test waits for 200 ms instead of the socket. I’m looking for the event it should wait for'),
  'Explain how orders are priced': () =>
    works('Prices come from three places. The catalog has the base price, and each'),
  'Move the settings into one file': () =>
    works('Four places read the environment. I’ll start with the server'),
  'Upgrade the date library': () =>
    works('Version 4 drops the mutable API, so every call of setHours has to go'),
  'Greet people by their first name': (cwd) => [
    edit(cwd, 'src/first-name.ts', NAME),
    text('Added with a test.'),
  ],
  'Write the changelog': (cwd) => [
    edit(cwd, 'CHANGELOG.md', '# Changes\n\n- Names are trimmed.\n'),
    text('Written.'),
  ],
  'Review the login page': () => [text('Two things: the label of the field, and the focus after an error.')],
  'Which endpoints are unused?': () => [text('Two of 41: /v1/ping and /v1/legacy.')],
  'Summarize the open issues': () => [text('Seven bugs, three of them about time zones, and four ideas.')],
};
const NAME = `export function firstName(name: string): string {
  return name.trim().split(/\\s+/)[0] ?? '';
}
`;

const transitionsDone = (page: Page) =>
  page.evaluate(async () => {
    const running = document.getAnimations().filter((animation) => animation instanceof CSSTransition);
    await Promise.allSettled(running.map(({ finished }) => finished));
  });

test.runIf(isWanted)('D15 a screenshot of Home with twelve agents', async () => {
  const config = { maxLiveHosts: 20, agents: { claude: { mode: 'acceptEdits' } } };
  const fleet = await openDeck({ projectName: 'orchard', config });
  try {
    fleet.fake.script('unmarked', ({ userText, cwd }) => {
      const [, script] = Object.entries(FLEET).find(([prompt]) => userText.includes(prompt)) ?? [];
      return script?.(cwd) ?? [text('Done.')];
    });
    for (const prompt of Object.keys(FLEET))
      await fleet.run('send', '--dir', fleet.sandbox.project, '--new', prompt);
    const { page } = await fleet.page({ width: 1440, height: 900 });
    await page.goto(`${fleet.origin}/#/home`);
    const column = (name: string) => page.getByRole('region', { name: new RegExp(`^${name}`) });
    for (const [name, count] of [
      ['Needs you', 3],
      ['Working', 4],
      ['Ready to review', 2],
      ['Done today', 3],
    ] as const) {
      await expect.poll(() => column(name).getByRole('article').count()).toBe(count);
    }
    await page.getByRole('button', { name: 'Allow' }).nth(1).waitFor();
    await transitionsDone(page);
    await page.screenshot({ path: join(folder, 'home.png') });
    for (const [name, theme, width, height] of [
      ['home-light', 'light', 1440, 900],
      ['home-phone', 'dark', 390, 844],
    ] as const) {
      const other = await fleet.page({ theme });
      await other.page.setViewportSize({ width, height });
      await other.page.goto(`${fleet.origin}/#/home`);
      await other.page.getByRole('button', { name: 'Allow' }).nth(1).waitFor();
      await transitionsDone(other.page);
      await other.page.screenshot({ path: join(folder, `${name}.png`) });
      await other.close();
    }
  } finally {
    fleet.fake.open('for the picture');
    await fleet.close();
  }
});
