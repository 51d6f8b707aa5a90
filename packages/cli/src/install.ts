/** Where this program is installed: the build's table of programs and the package version. */
import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Programs, readPrograms } from '@tugdeck/machine/programs';

const HERE = dirname(fileURLToPath(import.meta.url));

/** Folder of the clone or of the installed package. */
export const PACKAGE_ROOT = dirname(HERE);

export function installedPrograms(): Programs {
  return readPrograms(`${HERE}/programs.json`);
}

export function version(): string {
  const about: unknown = JSON.parse(readFileSync(`${PACKAGE_ROOT}/package.json`, 'utf8'));
  return String((about as { version?: unknown }).version);
}
