/**
 * Offers setup files of other tools (B18). Importing copies their commands into the user's own configuration, so that a
 * later change of the file runs nothing: it is shown again instead.
 */
import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { SETUP_FILES, type SetupFile } from '@tugdeck/agents/setup-files';
import { readBoundedText } from '@tugdeck/local/bounded-file';
import type { Project } from '@tugdeck/protocol/wire/deck';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import type { SetupChoice, SetupImport } from '@tugdeck/protocol/workspaces/setup-import';
import type { WorkspaceSettings } from '../settings.ts';
import { parseSetup } from './parse-setup.ts';

export interface SetupImportsOptions {
  readonly projects: { get(id: string): Project };
  /** The project's own settings, without those for all projects. */
  readonly ownSettings: (projectPath: string) => WorkspaceSettings;
  readonly save: (projectPath: string, settings: WorkspaceSettings) => void;
}

const MAX_IN_FOLDER = 10;
const MAX_NAME = 100;
const MAX_BYTES = 64 * 1024;

type Found = Omit<SetupImport, 'isChanged'>;

export class SetupImports {
  readonly #options: SetupImportsOptions;

  constructor(options: SetupImportsOptions) {
    this.#options = options;
  }

  /** Those that were neither imported nor dismissed as they are now. None in a project without trust. */
  offered(project: string): SetupImport[] {
    const { path, trust } = this.#options.projects.get(project);
    if (trust !== 'yes') return [];
    const { imported = {} } = this.#options.ownSettings(path);
    return filesOf(path).flatMap(([file, format]) => {
      const found = read(path, file, format);
      if (!found || imported[file] === found.hash) return [];
      return [{ ...found, isChanged: imported[file] !== undefined }];
    });
  }

  /** Refused if the file is no longer the one that was shown. */
  choose(project: string, { file, hash, act }: SetupChoice): void {
    const { path, trust } = this.#options.projects.get(project);
    if (trust !== 'yes') throw new CodedError('PROJECT_UNTRUSTED');
    const format = filesOf(path).find(([name]) => name === file)?.[1];
    const found = format && read(path, file, format);
    if (!found || found.hash !== hash) {
      throw new CodedError('CONFIGURATION_CHANGED', `${file} has changed.`, 'Look at it again.');
    }
    const own = this.#options.ownSettings(path);
    const imported = { ...own.imported, [file]: hash };
    this.#options.save(path, act === 'dismiss' ? { ...own, imported } : { ...merged(own, found), imported });
  }
}

/** Imported commands replace the user's; run commands, variables and patterns are added. */
function merged(own: WorkspaceSettings, found: Found): WorkspaceSettings {
  const { setup, teardown, run, runOneAtATime, copy, environment } = found;
  return {
    ...own,
    ...(setup === undefined ? {} : { setup }),
    ...(teardown === undefined ? {} : { teardown }),
    ...(run === undefined ? {} : { run: { ...own.run, ...run } }),
    ...(runOneAtATime === undefined ? {} : { runOneAtATime }),
    ...(copy === undefined ? {} : { copy: [...new Set([...(own.copy ?? []), ...copy])].slice(0, 100) }),
    ...(environment === undefined ? {} : { environment: { ...environment, ...own.environment } }),
  };
}

/** Of the project, with their formats. */
function filesOf(root: string): [file: string, format: SetupFile][] {
  return SETUP_FILES.flatMap((format) =>
    namesOf(root, format).map((file): [string, SetupFile] => [file, format]),
  );
}

function namesOf(root: string, { path, ending }: SetupFile): string[] {
  if (ending === undefined) return [path];
  try {
    return readdirSync(join(root, path))
      .filter((name) => name.endsWith(ending) && name.length <= MAX_NAME)
      .sort()
      .slice(0, MAX_IN_FOLDER)
      .map((name) => `${path}/${name}`);
  } catch {
    return [];
  }
}

/** Undefined for a file that is missing, outside of the project, too large, or has nothing to import. */
function read(root: string, file: string, format: SetupFile): Found | undefined {
  const text = textOf(root, file);
  if (text === undefined) return undefined;
  try {
    const found = parseSetup(format, text);
    if (Object.keys(found).length === 0) return undefined;
    const hash = createHash('sha256').update(text).digest('hex');
    return { file, tool: format.tool, hash, ...found, environment: { ...format.environment } };
  } catch {
    return undefined; // Another program's file of the same name.
  }
}

function textOf(root: string, file: string): string | undefined {
  try {
    return readBoundedText(join(root, file), { maxBytes: MAX_BYTES, within: root });
  } catch {
    return undefined;
  }
}
