// Whatever answers a request or gives trust asks the click delay first (C6, X6). So there is one place for each, and
// nothing else in the page may name these commands.
import { lineAt, listFiles, readText, verdict } from './tree.mjs';

/** The command, and the one file that sends it. */
const SENDERS = {
  'request.answer': 'packages/web/src/features/requests/use-answer.ts',
  'project.trust': 'packages/web/src/features/trust/TrustDialog.tsx',
};

/** @param {string} root @returns {import('./tree.mjs').Verdict} */
export function checkGuardedAnswers(root) {
  const files = listFiles(root, ['packages/web/src'], /\.tsx?$/);
  const problems = Object.entries(SENDERS).flatMap(([command, sender]) => {
    const [family, name] = command.split('.');
    // Also pieced together: `request.${what}`.
    const named = new RegExp(`['"\`]${family}\\.(?:${name}['"\`]|\\$\\{)`, 'g');
    return files.flatMap((file) => {
      const text = readText(root, file);
      if (file === sender) return isGuarded(text, command) ? [] : [`${file} sends ${command} unguarded`];
      return [...text.matchAll(named)].map(
        ({ index }) => `${file}:${lineAt(text, index)} names ${command}: answers go through ${sender}`,
      );
    });
  });
  return verdict(files.length, problems);
}

/** Every send comes after a look at the guard that returns. @param {string} text @param {string} command */
function isGuarded(text, command) {
  const guard = text.search(/!guard\.mayAnswer\(\)\) return;/);
  const sends = [
    ...text.matchAll(new RegExp(`\\{\\s*(?:kind|type): '${command.replace('.', '\\.')}',`, 'g')),
  ];
  return guard >= 0 && sends.length === 1 && sends.every(({ index }) => index > guard);
}
