/** Entry point: creates the client and mounts the page. */
import './kit/cache-port.ts';
import './no-eval.ts';
import { createClient } from '@tugdeck/client/client';
import { mountPage } from './app/mount-page.tsx';
import { offerPassword, openAccess } from './app/sign-in.ts';
import { removeStrayWorkers } from './app/stray-workers.ts';
import { watchConnection } from './app/watch-connection.ts';
import { setAccess } from './kit/api.ts';
import { openPageCache } from './kit/page-cache.ts';
import { shareChoices } from './kit/persisted.ts';

const url = new URL('/ws', location.href);
url.protocol = location.protocol === 'https:' ? 'wss:' : 'ws:';
const build = document.querySelector('meta[name="tugdeck-build"]')?.getAttribute('content') ?? 'page';
removeStrayWorkers();
const access = openAccess();
setAccess(access);
const cache = openPageCache();
const client = createClient({ url: url.href, build, cache, access });
offerPassword(client, access);
shareChoices(client);
watchConnection(client);
mountPage(document.getElementById('root'), client, cache ? { cached: () => cache.settled() } : {});
