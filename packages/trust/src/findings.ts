/** Collects configuration items, each with a digest of its whole content, not only of its text. */
import { createHash } from 'node:crypto';
import type { ConfigKind } from '@tugdeck/protocol/trust/project-config';

export interface Finding {
  readonly kind: ConfigKind;
  readonly path: string;
  /** Identifies the item within its file, so that a modified one is not shown as removed and added. */
  readonly name: string;
  readonly text: string;
  readonly digest: string;
}

export class Findings {
  readonly #found = new Map<string, Finding>();

  add(kind: ConfigKind, path: string, name: string, text: string, content: unknown = text): void {
    const finding = { kind, path, name, text, digest: digestOf(content) };
    this.#found.set(JSON.stringify(finding), finding);
  }

  list(): Finding[] {
    return [...this.#found.values()];
  }
}

export function digestOf(value: unknown): string {
  const hash = createHash('sha256');
  hash.update(value instanceof Uint8Array ? value : stable(value));
  return hash.digest('base64url').slice(0, 22);
}

/** JSON with sorted keys: equal for equal content. */
export function stable(value: unknown): string {
  return (
    JSON.stringify(value, (_key, part: unknown) => {
      if (typeof part !== 'object' || part === null || Array.isArray(part)) return part;
      return Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)));
    }) ?? ''
  );
}
