// A test that reads a page once depends on how fast the page is. Tests must wait for page contents with
// `expect.poll`.
import { lineAt, listFiles, readText, verdict } from './tree.mjs';

const READS =
  'count|textContent|innerText|inputValue|getAttribute|allTextContents|allInnerTexts|is(?:Visible|Hidden|Disabled|Enabled|Checked|Editable)';
/** Up to the end of the statement: none of these calls has a semicolon before it. */
const READ_ONCE = new RegExp(String.raw`\bexpect\(\s*\(*await\s[^;]*?\.(?:${READS})\([^;]*?\)\s*[,)]`, 'g');

/** @param {string} root @returns {import('./tree.mjs').Verdict} */
export function checkPageReads(root) {
  const files = listFiles(root, ['packages', 'e2e'], /\.browser\.test\.ts$|^e2e\/.*\.ts$/);
  const problems = files.flatMap((file) => {
    const text = readText(root, file);
    return [...text.matchAll(READ_ONCE)].map(
      ({ index }) => `${file}:${lineAt(text, index)} reads the page once: use expect.poll`,
    );
  });
  return verdict(files.length, problems);
}
