// Presses buttons that answer something (C6): a request, a plan, a dialog that asks first.
import type { Locator } from 'playwright-core';
import { press } from './frames.ts';

/**
 * Presses the button until the press counts. A click waits until the frame takes answers, but something may still move it just
 * before the press; then the page says so and asks for another press, which a person would make.
 */
export async function pressAnswer(button: Locator): Promise<void> {
  do await press(button);
  while (await isRefused(button));
}

/** Whether the frame around the button shows that the last press did not count; known once the click has ended. */
function isRefused(button: Locator): Promise<boolean> {
  return button.evaluateAll((buttons) =>
    buttons.some((node) => node.closest('.request, dialog')?.querySelector('.answer-note') != null),
  );
}
