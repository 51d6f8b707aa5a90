/** Quotes a path as one word for a shell. Pure. */
const PLAIN = /^[A-Za-z0-9_./+@%:,-]+$/;

export function shellQuote(path: string): string {
  if (PLAIN.test(path) && !path.startsWith('-')) return path;
  // A line feed inside quotes would still run the line.
  const safe = path.replace(/\p{Cc}/gu, '?');
  return `'${safe.replaceAll("'", "'\\''")}'`;
}

/** Drag type of a file in the tree: its path relative to the project. */
export const DRAGGED_PATH = 'application/x-tugdeck-path';

/** The paths of dropped items, if the browser provides them. */
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
    return undefined; // Not a valid URL: nothing to insert.
  }
}
