/** Starts the page: one client, one tree. */
import { createClient } from '@tugdeck/client/client';
import { z } from 'zod';
import { openPageCache } from './app/cache-page.ts';
import { mountPage } from './app/mount-page.tsx';

// The policy of the page forbids code made at run time, which zod would otherwise try.
z.config({ jitless: true });

const url = new URL('/ws', location.href);
url.protocol = location.protocol === 'https:' ? 'wss:' : 'ws:';
const build = document.querySelector('meta[name="tugdeck-build"]')?.getAttribute('content') ?? 'page';
mountPage(document.getElementById('root'), createClient({ url: url.href, build, cache: openPageCache() }));
