/**
 * The agent's own folder trust (X6): without it, the agent ignores the project's permission rules, even if the user
 * trusted the project here. Set in the agent's own file, as its dialog does, on the user's request.
 */

import { randomUUID } from 'node:crypto';
import {
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmdirSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseJson } from '@tugdeck/protocol/parse-json';
import { recordOf } from '../kit/fields.ts';
import type { AgentStart, ControlAnswer } from '../kit/port.ts';

/** The agent uses the same lock for its own writes. */
const TRIES = 40;
const TRY_MS = 50;
const MAX_FILE = 32 * 1024 * 1024;

export async function acceptFolder({
  environment,
  directory,
  untrusted,
}: Pick<AgentStart, 'environment' | 'directory' | 'untrusted'>): Promise<ControlAnswer> {
  if (untrusted) return { ok: false, text: 'Trust this project in Tugdeck first.' };
  const named = join(environment.CLAUDE_CONFIG_DIR ?? environment.HOME ?? '', '.claude.json');
  const file = realOf(named);
  const lock = `${file}.lock`;
  if (!(await locked(lock))) return { ok: false, text: 'The agent is writing its settings. Try again.' };
  try {
    write(file, accepted(read(file), realpathSync(directory)));
    return { ok: true, text: 'Claude Code trusts this folder now. Restart the agent to use its rules.' };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { ok: false, text: `${file} was left as it is: ${why}` };
  } finally {
    rmdirSync(lock);
  }
}

/** The settings with this folder accepted. */
function accepted(settings: Readonly<Record<string, unknown>>, directory: string): object {
  const projects = recordOf(settings.projects);
  const project = Object.hasOwn(projects, directory) ? recordOf(projects[directory]) : {};
  return {
    ...settings,
    projects: { ...projects, [directory]: { ...project, hasTrustDialogAccepted: true } },
  };
}

function read(file: string): Readonly<Record<string, unknown>> {
  try {
    if (statSync(file).size > MAX_FILE) throw new Error('it is too large');
    const value: unknown = parseJson(readFileSync(file, 'utf8'));
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw new Error('it is not an object');
    return value as Readonly<Record<string, unknown>>;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw error;
  }
}

/** Atomic. */
function write(file: string, value: object): void {
  const fresh = `${file}.${randomUUID()}`;
  writeFileSync(fresh, JSON.stringify(value, null, 2), { mode: 0o600, flag: 'wx' });
  renameSync(fresh, file);
}

/** Writes the target of a link. */
function realOf(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return file;
  }
}

async function locked(lock: string): Promise<boolean> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    try {
      mkdirSync(lock);
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      await wait(TRY_MS);
    }
  }
  return false;
}
