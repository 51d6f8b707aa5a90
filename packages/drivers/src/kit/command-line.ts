/** Quotes an argument list as a shell command line, with every word included. Pure. */
const PLAIN = /^[A-Za-z0-9_./+@%:,-]+$/;

export function commandLine(argv: readonly unknown[]): string {
  return argv.map((word) => quoted(typeof word === 'string' ? word : JSON.stringify(word))).join(' ');
}

function quoted(word: string): string {
  return PLAIN.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
