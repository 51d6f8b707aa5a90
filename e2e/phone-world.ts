/** A deck behind a proxy on loopback that ends TLS, and phones that open it by its second origin (N50). */
import { savePassword } from '@tugdeck/gateway/transport/password';
import { dataDirectory, makePrivate } from '@tugdeck/local/data-directory';
import { launchBrowser, newPage, type TestPage } from '@tugdeck/testkit/browser';
import { freePort } from '@tugdeck/testkit/free-port';
import { startPushService } from '@tugdeck/testkit/push-service';
import { startTlsProxy, type TlsProxy } from '@tugdeck/testkit/tls-proxy';
import { connected, type Deck, openDeck } from './deck.ts';

export const NAME = 'deck.tugdeck.test';
const PASSWORD = 'correct horse battery';

export interface PhoneWorld {
  readonly deck: Deck;
  readonly proxy: TlsProxy;
  readonly service: Awaited<ReturnType<typeof startPushService>>;
  /** The link in the QR code that `tugdeck url --qr` draws. */
  pairingLink(device: string): Promise<string>;
  /** A phone that isn't signed in. */
  stranger(): Promise<TestPage>;
  /** A phone that was paired with it. */
  phone(device: string): Promise<TestPage>;
  /** Sends a prompt to a new session of the demo agent; resolves with its id. */
  start(prompt: string, isAwaited?: boolean): Promise<string>;
  close(): Promise<void>;
}

export async function openPhoneWorld(): Promise<PhoneWorld> {
  const port = await freePort();
  const service = await startPushService();
  let proxy: TlsProxy | undefined;
  let target = 0;
  const deck = await openDeck({
    withoutAgent: true,
    projectName: 'orchard',
    files: { 'src/prices.ts': 'export const price = 40;\n' },
    config: { origin: `https://${NAME}:${port}`, privatePush: true },
    prepare: async ({ root, data }) => {
      makePrivate(data);
      await savePassword(dataDirectory(data).password, PASSWORD);
      const started = await startTlsProxy({ name: NAME, port, target: () => target, folder: root });
      proxy = started;
      return () => started.close();
    },
  });
  if (!proxy) throw new Error('the proxy was not started');
  target = deck.port;
  const phones: TestPage[] = [];
  const pairingLink = async (device: string) => {
    const { stdout } = await deck.run('url', '--qr', '--device', device);
    return stdout.split('\n', 1)[0] ?? '';
  };
  const { publicKey } = proxy;
  const stranger = async () => {
    const browser = await launchBrowser({ proxied: { name: NAME, publicKey } });
    const opened = await newPage(browser, { isPhone: true, width: 390, height: 844 });
    phones.push(opened);
    return opened;
  };
  return {
    deck,
    proxy,
    service,
    pairingLink,
    stranger,
    async phone(device) {
      const opened = await stranger();
      await opened.context.grantPermissions(['notifications'], { origin: `https://${NAME}:${port}` });
      await opened.context.addInitScript(subscribeAs, service.browser(device));
      await opened.page.goto(await pairingLink(device));
      await connected(opened.page);
      return opened;
    },
    async start(prompt, isAwaited = false) {
      const { stdout, stderr } = await deck.run(
        ...['send', '--new', '--agent', 'demo', '--trust', '--dir', deck.sandbox.project],
        ...(isAwaited ? ['--wait', '--json'] : []),
        prompt,
      );
      const id = /[\w-]{20,}/.exec(stdout)?.[0];
      if (id === undefined) throw new Error(`${prompt}: ${stdout} ${stderr}`);
      return id;
    },
    async close() {
      await Promise.all(phones.map((phone) => phone.close()));
      await deck.close();
      await service.close();
    },
  };
}

/** Runs in the page: its push service is the one of the test. The browser's own can't be reached from here. */
function subscribeAs({ endpoint, keys }: { readonly endpoint: string; readonly keys: object }): void {
  let made: object | null = null;
  const { prototype } = PushManager;
  prototype.getSubscription = async () => made as PushSubscription | null;
  prototype.subscribe = async () => {
    made = {
      toJSON: () => ({ endpoint, keys }),
      async unsubscribe() {
        made = null;
        return true;
      },
    };
    return made as PushSubscription;
  };
}
