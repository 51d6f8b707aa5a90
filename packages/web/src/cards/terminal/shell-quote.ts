/** A path as one word of a shell's command line, whatever is in it. Pure. */
const PLAIN = /^[A-Za-z0-9_./+@%:,-]+$/;

export function shellQuote(path: string): string {
  if (PLAIN.test(path) && !path.startsWith('-')) return path;
  // A line feed inside of quotes would still be sent as the key that runs the line.
  const safe = path.replace(/\p{Cc}/gu, '?');
  return `'${safe.replaceAll("'", "'\\''")}'`;
}

/** A file of the project's tree, by its path below the project. */
export const DRAGGED_PATH = 'application/x-tugdeck-path';

/** The paths that something dropped stands for, where the browser tells them. */
export function droppedPaths(data: Pick<DataTransfer, 'getData'>, root: string): string[] {
  const own = data.getData(DRAGGED_PATH);
  if (own !== '') return [`${root}/${own}`];
  return data
    .getData('text/uri-list')
    .split(/\r?\n/)
    .filter((line) => line.startsWith('file://'))
    .map((line) => decodePath(line))
    .filter((path) => path !== undefined);
}

function decodePath(address: string): string | undefined {
  try {
    return decodeURIComponent(new URL(address).pathname);
  } catch {
    return undefined; // Not an address after all: nothing to insert.
  }
}
