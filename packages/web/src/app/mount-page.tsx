import type { Client } from '@tugdeck/client/client';
import { createRoot } from 'react-dom/client';
import { ClientProvider } from './client-context.tsx';
import { followAddress, openRoute } from './dock/follow-deck.ts';
import { keepLayout, restoreLayout } from './dock/keep-layout.ts';
import { Shell } from './Shell.tsx';
import { followTheme } from './theme.ts';

export function mountPage(root: HTMLElement | null, client: Client): void {
  if (!root) throw new Error('the page has no root');
  followTheme(document.documentElement);
  openRoute(restoreLayout());
  followAddress();
  keepLayout();
  createRoot(root).render(
    <ClientProvider value={client}>
      <Shell />
    </ClientProvider>,
  );
}
