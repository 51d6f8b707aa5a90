/** Entry point: creates the client and mounts the page. */
import './kit/cache-port.ts';
import './no-eval.ts';
import { createClient } from '@tugdeck/client/client';
import { setAccess } from './kit/api.ts';
import { openPageCache } from './kit/page-cache.ts';
import { shareChoices } from './kit/persisted.ts';
import { mountPage } from './shell/mount-page.tsx';
import { offerPassword, openAccess } from './shell/sign-in.ts';
import { removeStrayWorkers } from './shell/stray-workers.ts';
import { watchConnection } from './shell/watch-connection.ts';

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
