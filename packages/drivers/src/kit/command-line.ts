/**
 * An argument list as one line that a shell would take apart into the same words: every word whole and quoted, the
 * program first. What runs is the list, so no word of it is left out, also where it starts a shell. Pure.
 */
const PLAIN = /^[A-Za-z0-9_./+@%:,-]+$/;

export function commandLine(words: readonly unknown[]): string {
  return words.map((word) => quoted(typeof word === 'string' ? word : JSON.stringify(word))).join(' ');
}

function quoted(word: string): string {
  return PLAIN.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
