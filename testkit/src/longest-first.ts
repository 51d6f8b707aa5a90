// Starts the longest test files first, so that no worker is left alone with one at the end. Without a record of an earlier run
// Vitest starts the largest files first, and the entry files of our longest suites are the smallest.
import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Rounded seconds of the files that take fifteen or more in `npm test` on two cores. Only their order matters. */
export const SECONDS: Readonly<Record<string, number>> = {
  'e2e/cached-reload.test.ts': 100,
  'e2e/trust.test.ts': 75,
  'e2e/attack/attack.test.ts': 70,
  'e2e/agents/agents.test.ts': 70,
  'packages/web/test/page.browser.test.ts': 70,
  'e2e/campaign/host-kills.test.ts': 60,
  'packages/web/test/injection.browser.test.ts': 50,
  'e2e/other-programs.test.ts': 45,
  'e2e/talk.test.ts': 45,
  'e2e/faults.test.ts': 45,
  'packages/web/test/answers.browser.test.ts': 45,
  'packages/web/test/composer.browser.test.ts': 40,
  'e2e/conversation.test.ts': 40,
  'e2e/reconnects.test.ts': 40,
  'packages/web/test/markdown.browser.test.ts': 40,
  'e2e/loose-ends.test.ts': 35,
  'e2e/scripts.test.ts': 35,
  'e2e/git-review.test.ts': 35,
  'packages/web/test/permissions.browser.test.ts': 35,
  'packages/web/test/dock.browser.test.ts': 30,
  'e2e/claude-flows.test.ts': 30,
  'e2e/terminal.test.ts': 30,
  'e2e/own-agents.test.ts': 30,
  'e2e/files.test.ts': 25,
  'packages/web/test/reading.browser.test.ts': 25,
  'packages/web/test/history.browser.test.ts': 25,
  'e2e/trust-page.test.ts': 20,
  'e2e/home.test.ts': 20,
  'e2e/sidebar.test.ts': 20,
  'packages/web/test/answers-touch.browser.test.ts': 20,
  'packages/cli/test/tugdeck.test.ts': 35,
  'packages/cli/test/pid-namespaces.test.ts': 30,
  'packages/drivers/test/claude-abilities.test.ts': 25,
  'packages/cli/test/keeper.test.ts': 25,
  'packages/gateway/test/hosts.test.ts': 20,
  'packages/drivers/test/claude-real.test.ts': 15,
};

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const secondsOf = ({ moduleId }: TestSpecification) =>
      SECONDS[relative(this.ctx.config.root, moduleId)] ?? 0;
    return (await super.sort(files)).sort((a, b) =>
      a.project.name === b.project.name ? secondsOf(b) - secondsOf(a) : 0,
    );
  }
}
