/** The display form of an input field, by its name. */
import type { Field } from '@tugdeck/protocol/conversation/entries';

const PATH_KEY = /(path|file|cwd|directory|dir)$/i;
const URL_KEY = /(url|uri)$/i;
const CODE_KEY = /^(command|cmd|code|script|diff|patch|content|old_?string|new_?string|pattern)$/i;

export function fieldForm(key: string): Field['form'] {
  if (PATH_KEY.test(key)) return 'path';
  if (URL_KEY.test(key)) return 'url';
  return CODE_KEY.test(key) ? 'code' : 'text';
}
