/**
 * A phone behind a proxy that ends TLS: sign-in by QR code, installation, calls, and bad networks. Chromium's mobile emulation and
 * touch; the push service is on loopback, and what it decrypts is given to the service worker.
 */
import { closeBrowser, type TestPage } from '@tugdeck/testkit/browser';
import { waitFor } from '@tugdeck/testkit/process-facts';
import { isFullTier } from '@tugdeck/testkit/tiers';
import { hasOpenssl } from '@tugdeck/testkit/tls-proxy';
import type { CDPSession, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connected, entries } from './deck.ts';
import { openPhoneWorld, type PhoneWorld } from './phone-world.ts';

const SECRET = 'a-word-of-the-conversation';
const SLOW = { rttMs: 300, loss: 0.01 } as const;

describe.runIf(isFullTier && hasOpenssl())('a phone', () => {
  let world: PhoneWorld;
  let phone: TestPage;
  beforeAll(async () => {
    world = await openPhoneWorld();
    phone = await world.phone('Phone');
  }, 300_000);
  afterAll(async () => {
    await world?.close();
    await closeBrowser();
  });

  test('N54 the link of the QR code signs in once', async () => {
    expect(new URL(phone.page.url()).origin).toBe(world.proxy.origin);
    const link = await world.pairingLink('Another phone');
    expect(link.startsWith(`${world.proxy.origin}/in/`)).toBe(true);
    const [first, second] = [await world.stranger(), await world.stranger()];
    await first.page.goto(link);
    await connected(first.page);
    await second.page.goto(link);
    await second.page.getByLabel('Password').waitFor();
    // At Home in front, it would have all requests in sight.
    await Promise.all([first.close(), second.close()]);
  });

  test('D45 N54 a paired phone starts at Home, whatever another device has open', async () => {
    const session = await world.start('say hello', true);
    const [first, second] = [await world.stranger(), await world.stranger()];
    let isStored = false;
    first.page.on('websocket', (socket) =>
      socket.on('framesent', ({ payload }) => {
        isStored ||= payload.toString().includes('layout.save') && payload.toString().includes(session);
      }),
    );
    await first.page.goto(await world.pairingLink('Tablet'));
    await connected(first.page);
    await first.page.goto(`${world.proxy.origin}/#/session/${session}`);
    await entries(first.page, 'text', 'complete').first().waitFor();
    await waitFor(() => isStored, { what: 'the stored layout' });
    await second.page.goto(await world.pairingLink('Watch'));
    await second.page.getByRole('region', { name: 'Home' }).waitFor();
    expect(new URL(second.page.url()).hash).toBe('#/home');
    await Promise.all([first.close(), second.close()]);
  });

  test('N51 the page can be installed, and its worker has the content policy of the page', async () => {
    const { page } = phone;
    await page.waitForFunction(() => navigator.serviceWorker.controller !== null);
    const cdp = await page.context().newCDPSession(page);
    const { installabilityErrors } = await cdp.send('Page.getInstallabilityErrors');
    // A test's browser profile is a private window.
    expect(installabilityErrors.map(({ errorId }) => errorId).filter((id) => id !== 'in-incognito')).toEqual(
      [],
    );
    const { errors, url } = await cdp.send('Page.getAppManifest');
    expect(url).toBe(`${world.proxy.origin}/manifest.webmanifest`);
    expect(errors).toEqual([]);
    const policies = await page.evaluate(() =>
      Promise.all(
        ['/', '/worker.js'].map(async (path) =>
          (await fetch(path, { cache: 'no-store' })).headers.get('content-security-policy'),
        ),
      ),
    );
    expect(policies[1]).toBe(policies[0]);
    expect(policies[1]).toContain("default-src 'none'");
  });

  test('N51 the worker stores the program and nothing of a conversation, and the page opens without a network', async () => {
    const { page } = phone;
    await world.start(`say ${SECRET}`, true);
    await page.goto(`${world.proxy.origin}/#/home`);
    await page.reload();
    await page.getByRole('article').first().tap();
    await page.getByRole('log', { name: 'Conversation' }).getByText(SECRET).first().waitFor();
    const stored = await page.evaluate(async () => {
      const found: { path: string; text: string }[] = [];
      for (const name of await caches.keys()) {
        const cache = await caches.open(name);
        for (const request of await cache.keys()) {
          const text = (await (await cache.match(request))?.text()) ?? '';
          found.push({ path: new URL(request.url).pathname, text });
        }
      }
      return found;
    });
    const odd = stored.filter(
      ({ path }) => !/^\/$|^\/assets\/[\w.-]+$|^\/icon[\w.-]*$|^\/manifest\.webmanifest$/.test(path),
    );
    expect(odd).toEqual([]);
    expect(stored.length).toBeGreaterThan(5);
    expect(stored.filter(({ text }) => text.includes(SECRET)).map(({ path }) => path)).toEqual([]);

    await page.goto(`${world.proxy.origin}/#/home`);
    world.proxy.isUp = false;
    await page.reload();
    await page.getByText(/Offline\. Sessions as of/).waitFor();
    await page.getByRole('article').first().waitFor();
    world.proxy.isUp = true;
    await connected(page);
    await page.getByText(/Offline\. Sessions as of/).waitFor({ state: 'hidden' });
  });

  test('N52 one call over three devices, which the worker shows; none for what is in sight; a dead subscription is removed', async () => {
    const { service } = world;
    const others = [await world.phone('Tablet'), await world.phone('Watch')];
    const devices = [...others, phone];
    for (const { page } of devices) await turnOnCalls(page, world.proxy.origin);
    for (const { page } of devices) await inFront(page, false);
    service.received.splice(0);
    const session = await world.start('ask');
    await waitFor(() => service.received.length > 0, { what: 'a call' });
    const [call] = service.received;
    expect(call?.message).toMatchObject({ title: 'orchard', session });
    expect(JSON.stringify(call?.message)).not.toContain('ask');

    const called = devices[['Tablet', 'Watch', 'Phone'].indexOf(call?.browser ?? '')] ?? phone;
    const deliver = await deliverTo(called.page, world.proxy.origin);
    await deliver(JSON.stringify(call?.message));
    await expect
      .poll(() =>
        called.page.evaluate(async () => {
          const shown = await (await navigator.serviceWorker.ready).getNotifications();
          return shown.map(({ title, body }) => `${title}: ${body}`);
        }),
      )
      .toEqual([expect.stringMatching(/^orchard: /)]);
    expect(service.received).toHaveLength(1);

    // Nobody is called about the session that is open in front. A later call shows that its time has passed.
    const seen = await world.start('say hello', true);
    await phone.page.goto(`${world.proxy.origin}/#/session/${seen}`);
    await entries(phone.page, 'text', 'complete').first().waitFor();
    await inFront(phone.page, true);
    await world.deck.run('send', '--session', seen, 'ask');
    await phone.page.getByRole('form', { name: 'Question' }).first().waitFor();
    const next = await world.start('ask');
    await waitFor(() => service.received.some(({ message }) => message.session === next), { what: 'a call' });
    expect(service.received.map(({ message }) => message.session)).toEqual([session, next]);
    await inFront(phone.page, false);

    for (const name of ['Tablet', 'Watch', 'Phone']) service.answerWith(name, 410);
    await world.start('ask');
    const list = async () => {
      const { page } = phone;
      await page.goto(`${world.proxy.origin}/#/home`);
      await page.reload();
      await openSettings(page);
      return page.getByRole('switch', { name: /^Notify this device/ }).isChecked();
    };
    await waitFor(() => service.tried.length >= 5, { what: 'a call of each device' });
    await expect.poll(list).toBe(false);
  });

  test('D6 at 300 ms and 1 % loss a conversation is read, answered and written in', async () => {
    const { page } = phone;
    world.proxy.network = SLOW;
    try {
      await page.goto(`${world.proxy.origin}/#/home`);
      await page.reload();
      await connected(page);
      const session = await world.start('run echo from-the-tree');
      await page.goto(`${world.proxy.origin}/#/session/${session}`);
      const allow = page.getByRole('button', { name: 'Allow', exact: true });
      await expect
        .poll(
          async () => {
            if (await allow.isVisible()) await allow.tap();
            return entries(page, 'text', 'complete').count();
          },
          { timeout: 60_000, interval: 700 },
        )
        .toBeGreaterThan(0);
      const box = page.getByRole('textbox', { name: 'Message' });
      await box.fill('say hello over a slow network');
      await page.getByRole('button', { name: 'Send', exact: true }).tap();
      // Shown at once, whatever the network.
      await page
        .getByRole('log', { name: 'Conversation' })
        .getByText('hello over a slow network')
        .first()
        .waitFor({ timeout: 1_000 });
      await entries(page, 'user', 'complete').nth(1).waitFor();
    } finally {
      world.proxy.network = undefined;
    }
  });

  test('D6 N51 a phone that slept for an hour says what is stale, and catches up', async () => {
    const { page } = phone;
    const session = await world.start('slow 2', true);
    await page.goto(`${world.proxy.origin}/#/session/${session}`);
    await entries(page, 'text', 'complete').first().waitFor();
    const cdp = await page.context().newCDPSession(page);
    // The page's clock jumps: its timers did not run, and its connection is gone without a word.
    world.proxy.isUp = false;
    await cdp.send('Page.setWebLifecycleState', { state: 'frozen' });
    await world.deck.run('send', '--session', session, '--wait', 'say while you slept');
    await cdp.send('Page.setWebLifecycleState', { state: 'active' });
    await page.evaluate(() => {
      const real = Date.now;
      Date.now = () => real() + 3600_000;
      document.dispatchEvent(new Event('visibilitychange'));
    });
    await page.getByText(/^as of /).waitFor();
    world.proxy.isUp = true;
    await page.getByRole('log', { name: 'Conversation' }).getByText('while you slept').first().waitFor();
    await page.getByText(/^as of /).waitFor({ state: 'hidden' });
  });
});

async function openSettings(page: Page): Promise<void> {
  const settings = page.getByRole('group', { name: 'Settings' });
  // Right after a load the first tap can be lost, because its code is still coming.
  await expect
    .poll(async () => {
      const button = page.getByRole('banner').getByRole('button', { name: 'Settings' });
      if (await button.isVisible()) await button.tap();
      return settings.isVisible();
    })
    .toBe(true);
}

/** Playwright's pages all have the focus: a phone in the pocket doesn't. */
function inFront(page: Page, isFront: boolean): Promise<void> {
  return page.evaluate((front) => {
    document.hasFocus = () => front;
    dispatchEvent(new Event(front ? 'focus' : 'blur'));
  }, isFront);
}

async function turnOnCalls(page: Page, origin: string): Promise<void> {
  await page.goto(`${origin}/#/home`);
  await page.waitForFunction(() => navigator.serviceWorker.controller !== null);
  await openSettings(page);
  const toggle = page.getByRole('switch', { name: /^Notify this device/ });
  await toggle.tap();
  await expect.poll(() => toggle.isChecked()).toBe(true);
  await page.goto(`${origin}/#/home`);
}

/** Gives a message to the page's service worker, as the browser does. */
async function deliverTo(page: Page, origin: string): Promise<(data: string) => Promise<unknown>> {
  const cdp: CDPSession = await page.context().newCDPSession(page);
  const registration = new Promise<string>((resolve) => {
    cdp.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      const own = registrations.find(({ scopeURL }) => scopeURL.startsWith(origin));
      if (own) resolve(own.registrationId);
    });
  });
  await cdp.send('ServiceWorker.enable');
  const registrationId = await registration;
  return (data) => cdp.send('ServiceWorker.deliverPushMessage', { origin, registrationId, data });
}
