// Checks that NOTICE, which a script generates, is up to date.
import { existsSync, readFileSync } from 'node:fs';
import { composeNotice, noticeFile } from '../notice.mjs';

/** @param {string} root @returns {import('./tree.mjs').Verdict} */
export function checkNotice(root) {
  const file = noticeFile(root);
  const written = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const problems =
    written === composeNotice(root) ? [] : ['NOTICE is out of date: run `node scripts/notice.mjs`'];
  return { checked: 1, problems };
}
