/**
 * Reads a setup file of another tool (B18) as workspace settings. Pure; the file comes from the project and can hold
 * anything: what doesn't fit into the configuration is left out and named.
 */
import type { SetupFile } from '@tugdeck/agents/setup-files';
import type { SetupImport } from '@tugdeck/protocol/workspaces/setup-import';
import { parseJson, parseToml } from '@tugdeck/trust/texts';
import { z } from 'zod';

export type ParsedSetup = Omit<SetupImport, 'file' | 'tool' | 'hash' | 'isChanged' | 'environment'>;

const MAX_COMMAND = 4096;
const MAX_NAME = 100;
const MAX_RUNS = 20;
const MAX_PATTERNS = 100;
const MAX_PATTERN = 300;
const MAX_LEFT = 20;
const RUN_NAME = /^[A-Za-z0-9][A-Za-z0-9 _.-]{0,39}$/;
/** A path without a way out and without characters that a shell reads. */
const SCRIPT = /^(?!.*(?:^|\/)\.\.?(?:\/|$))[A-Za-z0-9_][A-Za-z0-9_./-]{0,200}$/;

const text = z.string().optional().catch(undefined);
const texts = z.array(z.string());
const actionsSchema = z.array(z.object({ name: text, command: text })).catch([]);

/** Throws if the content is not of this syntax. */
export function parseSetup(format: SetupFile, content: string): ParsedSetup {
  const root = format.syntax === 'json' ? parseJson(content) : parseToml(content);
  const at = (keys: readonly string[] | undefined) => keys && valueAt(root, keys);
  const left: string[] = [];
  const fitting = (name: string, command: unknown): string | undefined => {
    const found = text.parse(command)?.trim() ?? '';
    if (found === '') return undefined;
    if (found.length <= MAX_COMMAND && !found.includes('\0')) return found;
    left.push(name);
    return undefined;
  };

  const wanted = format.setup.map(at).find((one) => one !== undefined);
  const setup = fitting('The setup', setupOf(format, wanted, left));
  const teardown = fitting('The teardown', at(format.teardown));
  const named: [string, unknown][] = [
    ['run', at(format.run)],
    ...actionsSchema
      .parse(at(format.actions) ?? [])
      .map(({ name = '', command }): [string, unknown] => [name, command]),
  ];
  const run: Record<string, string> = {};
  for (const [name, command] of named) {
    const label = `The command “${name.slice(0, MAX_NAME)}”`;
    const found = fitting(label, command);
    if (found === undefined) continue;
    if (RUN_NAME.test(name) && Object.keys(run).length < MAX_RUNS) run[name] = found;
    else left.push(label);
  }
  const patterns = texts.safeParse(at(format.copy) ?? []).data ?? [];
  const copy = patterns.filter((one) => one !== '' && one.length <= MAX_PATTERN).slice(0, MAX_PATTERNS);
  const [key = '', value] = format.oneAtATime ?? [];
  return {
    ...(setup === undefined ? {} : { setup }),
    ...(teardown === undefined ? {} : { teardown }),
    ...(Object.keys(run).length === 0 ? {} : { run }),
    ...(value !== undefined && at([key]) === value ? { runOneAtATime: true } : {}),
    ...(copy.length === 0 ? {} : { copy }),
    ...(left.length === 0 ? {} : { left: left.slice(0, MAX_LEFT) }),
  };
}

/** A list stops at the first command that fails. */
function setupOf({ scripts }: SetupFile, wanted: unknown, left: string[]): unknown {
  const list = texts.safeParse(wanted).data;
  if (list) return list.length > 1 ? ['set -e', ...list].join('\n') : list[0];
  if (scripts === undefined || typeof wanted !== 'string') return wanted;
  if (SCRIPT.test(wanted)) return `bash ${scripts}/${wanted}`;
  left.push(`The script “${wanted.slice(0, MAX_NAME)}”`);
  return undefined;
}

function valueAt(root: unknown, keys: readonly string[]): unknown {
  let value = root;
  for (const key of keys) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return value;
}
