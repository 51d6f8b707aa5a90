/**
 * A private file that redirects the browser to the sign-in link (X9). Every user on the machine can read the
 * arguments of a process, so the browser is started with the path of this file and never with the link itself.
 */
import { randomBytes } from 'node:crypto';
import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { escapeHtml } from '@tugdeck/protocol/export/html-text';
import { makeDataDirectory } from './data-directory.ts';
import { writePrivate } from './private-file.ts';

const NAME = /^open-[0-9a-f]{16}\.html(?:\..*\.tmp)?$/;
/** The page is written a moment after its link is issued. */
const MARGIN_MS = 1_000;

/** Returns the path of the page. */
export function writeSignInPage(directory: string, url: string): string {
  makeDataDirectory(directory);
  const file = join(directory, `open-${randomBytes(8).toString('hex')}.html`);
  writePrivate(file, pageTo(url));
  return file;
}

/** Removes pages whose link has expired; without an age, all of them. Returns the number of remaining pages. */
export function removeSignInPages(directory: string, olderThanMs = 0): number {
  return namesIn(directory).filter((name) => {
    const file = join(directory, name);
    const age = Date.now() - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0);
    if (olderThanMs > 0 && age < olderThanMs) return true;
    rmSync(file, { force: true });
    return false;
  }).length;
}

export interface SignInPages {
  /** Call when a link is issued for which a page may be written. */
  issued(): void;
  close(): void;
}

/** For the running server, which outlives the commands that write the pages. */
export function expireSignInPages(directory: string, lifetimeMs: number): SignInPages {
  let timer: NodeJS.Timeout | undefined;
  const expire = () => {
    timer = undefined;
    if (removeSignInPages(directory, lifetimeMs) > 0) issued();
  };
  const issued = () => {
    timer ??= setTimeout(expire, lifetimeMs + MARGIN_MS).unref();
  };
  removeSignInPages(directory);
  return {
    issued,
    close() {
      clearTimeout(timer);
      removeSignInPages(directory);
    },
  };
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory).filter((name) => NAME.test(name));
  } catch {
    return []; // No directory, no pages.
  }
}

/** Loads nothing and sends no referrer. */
function pageTo(url: string): string {
  const address = escapeHtml(new URL(url).href);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0;url=${address}">
<title>Opening Tugdeck</title>
</head>
<body>
<p><a rel="noreferrer" href="${address}">Open Tugdeck</a></p>
</body>
</html>
`;
}
