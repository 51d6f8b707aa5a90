/** A file card's `item`: the path and an optional line. Pure. */
const LINE = /^(.*)#L(\d{1,7})$/s;

export function fileItem(path: string, line?: number): string {
  return line === undefined ? path : `${path}#L${line}`;
}

export function parseItem(item: string): { readonly path: string; readonly line: number | undefined } {
  const [, path, line] = LINE.exec(item) ?? [];
  return path === undefined ? { path: item, line: undefined } : { path, line: Number(line) };
}
