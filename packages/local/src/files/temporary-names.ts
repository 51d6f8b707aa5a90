/** Names of our temporary files inside a project; never shown. */
import { randomUUID } from 'node:crypto';

const TEMPORARY = /^\..*\.tugdeck-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/s;
const MAX_NAME = 60;

export function temporaryName(name: string): string {
  return `.${name.slice(0, MAX_NAME)}.tugdeck-${randomUUID()}`;
}

export function isTemporaryName(name: string): boolean {
  return TEMPORARY.test(name);
}
