import type { Client } from '@tugdeck/client/client';
import { createRoot } from 'react-dom/client';
import { followAppearance } from '../kit/appearance.ts';
import { ClientProvider } from '../kit/client-context.tsx';
import { layout } from '../kit/layout/dock.ts';
import { cardById, groupsOf } from '../kit/layout/layout.ts';
import { followClicks } from '../kit/layout/temporary.ts';
import { followLimits } from '../kit/limited.ts';
import { atHome } from '../kit/route.ts';
import { followTheme } from '../kit/theme.ts';
import { registerAllKinds } from './card-kinds.ts';
import { followAddress, openRoute } from './dock/follow-deck.ts';
import { persistLayout, restoreLayout } from './dock/persist-layout.ts';
import { Shell } from './Shell.tsx';

/** How long the first render waits for the cache. Data that arrives later is rendered then. */
const CACHE_WAIT_MS = 100;

export interface MountOptions {
  /** Resolves when the cached data for the first render is there. */
  readonly cached?: () => Promise<unknown>;
}

export function mountPage(root: HTMLElement | null, client: Client, { cached }: MountOptions = {}): void {
  if (!root) throw new Error('the page has no root');
  followTheme(document.documentElement);
  followAppearance(document.documentElement);
  followLimits(client, document.documentElement);
  // Loaded early, because a terminal measures the font when it opens.
  void document.fonts.load('13px "JetBrains Mono"');
  registerAllKinds();
  openRoute(restoreLayout());
  followAddress();
  followClicks();
  // Loaded while the cache is read, not after it.
  if (atHome.get()) void import('../cards/home/Home.tsx').catch(() => undefined);
  preloadFront(client);
  persistLayout();
  const draw = () =>
    createRoot(root).render(
      <ClientProvider value={client}>
        <Shell />
      </ClientProvider>,
    );
  if (cached)
    void Promise.race([cached(), new Promise((late) => setTimeout(late, CACHE_WAIT_MS))]).then(draw);
  else draw();
}

/** Reads the front conversation from the cache while React builds the page; its card then takes over the channel. */
function preloadFront(client: Client): void {
  const now = layout.get();
  for (const { front } of groupsOf(now)) {
    const card = cardById(now, front);
    if (card?.kind === 'conversation' && card.params.session !== undefined)
      client.conversation(card.params.session).release();
  }
}
