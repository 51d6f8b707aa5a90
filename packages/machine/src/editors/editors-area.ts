/**
 * Serves the editors area (W8): finds editors on this machine and opens a project's files in them. Programs are started
 * with an argument list and no shell; paths are resolved inside the project first.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { openFile, openFolder } from '@tugdeck/local/files/confined';
import { errnoOf } from '@tugdeck/local/files/file-faults';
import { editors } from '@tugdeck/protocol/areas/editors';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import { findCommand } from '../agents/agent-choices.ts';
import { type ServedArea, serveArea } from '../areas/serve-area.ts';
import type { Projects } from '../projects/projects.ts';
import { EDITORS, type KnownEditor } from './known-editors.ts';

type Environment = Readonly<Record<string, string>>;

const isMac = process.platform === 'darwin';

export function serveEditors(projects: Pick<Projects, 'place'>): ServedArea {
  return serveArea(editors, ({ project }, out) => {
    const { environment } = projects.place(project);
    const terminalEditor = environment.VISUAL || environment.EDITOR;
    out.state({
      editors: EDITORS.flatMap((editor) =>
        programOf(editor, environment) === undefined ? [] : [{ id: editor.id, label: editor.name }],
      ),
      canReveal: fileManager(environment) !== undefined,
      // Only its name is shown.
      ...(terminalEditor ? { terminalEditor: basename(terminalEditor.split(' ')[0] ?? '') } : {}),
    });
    return {
      calls: {
        async open({ editor: id, path, line }) {
          const place = projects.place(project);
          const editor = EDITORS.find((each) => each.id === id);
          const program = editor && programOf(editor, place.environment);
          if (!editor || program === undefined)
            throw new CodedError('NOT_FOUND', 'This editor was not found on the machine.');
          await start(program, editor.args(await resolveInside(place.directory, path), line), place);
        },
        async reveal({ path }) {
          const place = projects.place(project);
          const program = fileManager(place.environment);
          if (program === undefined) throw new CodedError('NOT_FOUND', 'No file manager was found.');
          const file = await resolveInside(place.directory, path);
          const folder = (await stat(file)).isDirectory() ? file : join(file, '..');
          await start(program, isMac ? ['-R', file] : [folder], place);
        },
      },
    };
  });
}

function programOf({ commands, macProgram }: KnownEditor, environment: Environment): string | undefined {
  const found = commands.map((command) => findCommand(command, environment)).find(Boolean);
  return found ?? (isMac && existsSync(macProgram) ? macProgram : undefined);
}

/** Linux needs a desktop to show a window on. */
function fileManager(environment: Environment): string | undefined {
  if (isMac) return '/usr/bin/open';
  const hasDesktop = Boolean(environment.DISPLAY || environment.WAYLAND_DISPLAY);
  return hasDesktop ? findCommand('xdg-open', environment) : undefined;
}

/** The real path of a file or folder, links resolved; refused if it is outside. */
async function resolveInside(directory: string, path: string): Promise<string> {
  const root = await realpath(directory);
  try {
    const folder = await openFolder(root, path);
    await folder.close();
    return folder.real;
  } catch (error) {
    if (!isNotFolder(error)) throw error;
  }
  const file = await openFile(root, path);
  await file.handle.close();
  return join(root, file.path);
}

function isNotFolder(error: unknown): boolean {
  return (error instanceof CodedError && error.code === 'NOT_A_FOLDER') || errnoOf(error) === 'ENOTDIR';
}

/** Outlives us; resolves once it runs. */
function start(
  program: string,
  args: readonly string[],
  { directory, environment }: { readonly directory: string; readonly environment: Environment },
): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, [...args], {
      cwd: directory,
      env: environment,
      detached: true,
      stdio: 'ignore',
    });
    child.once('error', () =>
      reject(new CodedError('NOT_FOUND', `${basename(program)} could not be started.`)),
    );
    child.once('spawn', () => {
      child.unref();
      resolve();
    });
  });
}
