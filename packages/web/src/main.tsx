/** Starts the page: one client, one tree. */
import './no-eval.ts';
import { createClient } from '@tugdeck/client/client';
import { openPageCache } from './app/cache-page.ts';
import { mountPage } from './app/mount-page.tsx';

const url = new URL('/ws', location.href);
url.protocol = location.protocol === 'https:' ? 'wss:' : 'ws:';
const build = document.querySelector('meta[name="tugdeck-build"]')?.getAttribute('content') ?? 'page';
mountPage(document.getElementById('root'), createClient({ url: url.href, build, cache: openPageCache() }));
