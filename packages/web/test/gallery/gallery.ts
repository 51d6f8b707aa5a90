/** The page with a client without a server: every entry in every state, for review and browser tests. */
import '../../src/no-eval.ts';
import { mountPage } from '../../src/app/mount-page.tsx';
import * as composerSamples from './composer-samples.ts';
import { createFakeClient, type FakeClient } from './fake-client.ts';
import * as samples from './samples.ts';

declare global {
  interface Window {
    gallery: FakeClient;
    samples: typeof samples;
    composerSamples: typeof composerSamples;
  }
}

const client = createFakeClient();
client.host('samples').say(...samples.sampleChanges());
client
  .host('rest')
  .say(
    { kind: 'session.described', facts: { agentLabel: 'Sample agent', model: 'large' } },
    { kind: 'agent.changed', agent: { state: 'connected' } },
  );
client.host('failed').say(
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
mountPage(document.getElementById('root'), client);
