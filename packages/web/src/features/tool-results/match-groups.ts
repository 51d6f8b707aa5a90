/** Groups search output lines (`path:12:text`) by file. Pure. */
export interface MatchLine {
  readonly number: number;
  readonly text: string;
}

export interface MatchGroup {
  readonly path: string;
  readonly lines: readonly MatchLine[];
}

const LINE = /^((?:[A-Za-z]:)?[^:\n]+)[:-](\d+)[:-](.*)$/;

/** Undefined if most lines have another form: then the text is shown unchanged. */
export function matchGroups(text: string): MatchGroup[] | undefined {
  const groups = new Map<string, MatchLine[]>();
  let known = 0;
  let unknown = 0;
  for (const line of text.split('\n')) {
    if (line === '' || line === '--') continue;
    const [, path, number, found] = LINE.exec(line) ?? [];
    if (path === undefined) {
      unknown += 1;
      continue;
    }
    known += 1;
    const lines = groups.get(path) ?? [];
    groups.set(path, lines);
    lines.push({ number: Number(number), text: found ?? '' });
  }
  if (known === 0 || unknown > 0) return undefined;
  return [...groups].map(([path, lines]) => ({ path, lines }));
}
