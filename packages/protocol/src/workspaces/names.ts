/** Names of workspaces and their branches (B7). Pure. */

const MAX_SLUG = 40;

/** The first words as `fix-the-login-test`: lowercase letters, digits and hyphens. */
export function slugOf(text: string): string {
  const words = text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(Boolean);
  let slug = '';
  for (const word of words) {
    const next = slug === '' ? word.slice(0, MAX_SLUG) : `${slug}-${word}`;
    if (next.length > MAX_SLUG) break;
    slug = next;
  }
  return slug === '' ? 'work' : slug;
}

export interface BranchParts {
  readonly user: string;
  readonly slug: string;
  readonly date: string;
  readonly id: string;
}

export function branchFrom(template: string, parts: BranchParts): string {
  return template.replace(/\{(user|slug|date|id)\}/g, (_, name: keyof BranchParts) => parts[name]);
}

/**
 * The name, or the first of `name-2`, `name-3` … that is free. Compared without case, because file systems differ; a
 * branch can't be the folder of another one.
 */
export function freeName(wanted: string, taken: Iterable<string>): string {
  const names = new Set([...taken].map((name) => name.toLowerCase()));
  const folders = new Set([...names].flatMap(foldersOf));
  // `me/x` is impossible beside a branch `me`.
  const base = foldersOf(wanted.toLowerCase()).some((folder) => names.has(folder))
    ? wanted.replaceAll('/', '-')
    : wanted;
  for (let number = 1; ; number++) {
    const name = number === 1 ? base : `${base}-${number}`;
    const plain = name.toLowerCase();
    if (!names.has(plain) && !folders.has(plain)) return name;
  }
}

/** `a` and `a/b` for `a/b/c`. */
function foldersOf(name: string): string[] {
  const parts = name.split('/');
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('/'));
}
