/** Signs a browser in at a sign-in link, without caching a file of the page or opening a session. */
import type { BrowserContext } from 'playwright-core';

export async function signIn(context: BrowserContext, url: string): Promise<void> {
  const page = await context.newPage();
  const devtools = await context.newCDPSession(page);
  await devtools.send('Network.setCacheDisabled', { cacheDisabled: true });
  // The page opens its socket once it has its key. The socket stays unanswered, so the server sees no page.
  let onSocket: () => void = () => undefined;
  const hasKey = new Promise<void>((resolve) => {
    onSocket = resolve;
  });
  await page.routeWebSocket(
    () => true,
    () => onSocket(),
  );
  await page.goto(url);
  await hasKey;
  await page.close();
}
