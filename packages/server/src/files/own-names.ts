/** Names that files of ours have in a project for a moment; nobody is shown one. */
import { randomUUID } from 'node:crypto';

const OWN = /^\..*\.tugdeck-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/s;
const MAX_NAME = 60;

export function ownName(name: string): string {
  return `.${name.slice(0, MAX_NAME)}.tugdeck-${randomUUID()}`;
}

export function isOwnName(name: string): boolean {
  return OWN.test(name);
}
