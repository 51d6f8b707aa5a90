/**
 * The lines that a host publishes to every follower. Their beginning has all that a relay needs, so that it forwards
 * them without parsing the rest.
 */
import type { Append, Change } from '../conversation/changes.ts';

export function changesLine(changes: readonly Change[]): string {
  return JSON.stringify({ type: 'changes', v: changes.at(-1)?.v, changes });
}

export function liveLine(appends: readonly Append[]): string {
  return JSON.stringify({ type: 'live', appends });
}

const LIVE = '{"type":"live","appends":[';
const CHANGES = /^\{"type":"changes","v":(\d{1,15}),"changes":\[/;

/** `v` is the version after changes. Undefined for any other line, such as one of an earlier host: parse it. */
export function publishedHead(line: string): { readonly v?: number } | undefined {
  if (!line.endsWith(']}')) return undefined;
  if (line.startsWith(LIVE)) return {};
  const [, v] = CHANGES.exec(line) ?? [];
  return v === undefined ? undefined : { v: Number(v) };
}
