/** The page with a client without a server: every entry in every state, for review and browser tests. */
import '../../src/no-eval.ts';
import { hasRunner, runnersVersion } from '../../src/kit/action-runners.ts';
import { preloadLazyComponents } from '../../src/kit/lazy-component.tsx';
import { mountPage } from '../../src/shell/mount-page.tsx';
import * as composerSamples from './composer-samples.ts';
import { createFakeClient, type FakeClient } from './fake-client.ts';
import { fleetDeck } from './fleet-samples.ts';
import * as samples from './samples.ts';

declare global {
  interface Window {
    gallery: FakeClient;
    /**
     * Resolves when all lazily loaded parts of the page are here. A late one could move a test's target or miss a key
     * that it should handle.
     */
    allParts: Promise<unknown>;
    samples: typeof samples;
    composerSamples: typeof composerSamples;
    fleetDeck: typeof fleetDeck;
  }
}

const client = createFakeClient();
client.host('samples').emit(...samples.sampleChanges());
client
  .host('rest')
  .emit(
    { kind: 'session.described', facts: { agentLabel: 'Sample agent', model: 'large' } },
    { kind: 'agent.changed', agent: { state: 'connected' } },
  );
client.host('failed').emit(
  { kind: 'session.described', facts: { agentLabel: 'Sample agent' } },
  {
    kind: 'entry.opened',
    entry: { kind: 'text', id: 'f1', status: 'complete', text: 'I was about to look at it.' },
  },
  { kind: 'agent.changed', agent: { state: 'failed', reason: 'Sample agent stopped (exit 1).' } },
);
window.gallery = client;
window.samples = samples;
window.composerSamples = composerSamples;
window.fleetDeck = fleetDeck;
mountPage(document.getElementById('root'), client);
/** Loaded after the first drawing. */
const dockActions = new Promise<void>((resolve) => {
  const check = () => {
    if (hasRunner('layout.undo')) resolve();
  };
  runnersVersion.subscribe(check);
  check();
});
window.allParts = Promise.all([preloadLazyComponents(), dockActions, document.fonts.ready]);
