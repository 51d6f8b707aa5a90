import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { closeBrowser } from '@tugdeck/testkit/browser';
import { pressAnswer } from '@tugdeck/testkit/press-answer';
import { text, thinking, toolUse } from '@tugdeck/testkit/script';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, test } from 'vitest';
import { type Deck, entries, openDeck, rested, send } from './deck.ts';

/** Pictures for people: made again with `npm run test:full`, looked at before they are committed. */
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
      thinking('The greeting ignores spaces around the name. I read the function first.'),
      text('I look at the function and its test first.'),
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
const EXPLANATION = `The name is used **as it was typed**, so \`greet(' Ada ')\` says \`Hello  Ada \`. Two things to settle:

1. Trim the name before it is used.
2. Say something kind when nothing is left.

| input | today | after |
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

test.runIf(isWanted)('C1 C4 C6 the pictures of the documentation', async () => {
  const { page } = await deck.page({ width: 1280, height: 860 });
  await reach(page);
  await page.screenshot({ path: join(folder, 'conversation.png') });
  for (const [name, theme, width, height] of [
    ['conversation-light', 'light', 1280, 860],
    ['conversation-phone', 'dark', 400, 860],
    ['conversation-wide', 'dark', 1920, 1080],
  ] as const) {
    const other = await deck.page({ theme, width, height });
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
