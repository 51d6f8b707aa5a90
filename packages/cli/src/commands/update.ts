/**
 * `tugdeck update`: shows which build this program, the running server and other machines are, and how to update. Never
 * updates anything itself; without `--check` it uses no network.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { findServer, requestServer } from '@tugdeck/gateway/control/control-client';
import { gitText } from '@tugdeck/local/git';
import { visibleText } from '@tugdeck/protocol/visible-text';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import { installedPrograms, PACKAGE_ROOT, version } from '../install.ts';
import type { Command, Context } from './context.ts';

const FETCH_MS = 60_000;
const MAX_SUBJECTS = 10;

interface Row {
  readonly name: string;
  readonly build: string;
  /** How to update it, if it is another build than this program. */
  readonly how?: string;
}

export const update: Command = async (context) => {
  const { line, print } = context;
  const { build } = installedPrograms();
  const isClone = existsSync(join(PACKAGE_ROOT, '.git'));
  const rows: Row[] = [{ name: 'this program', build }, ...(await others(context, build))];
  const newer = line.flags.has('check') && isClone ? await newerCommits() : undefined;
  if (line.flags.has('json')) {
    print(JSON.stringify({ version: version(), build, rows, ...(newer ? { newer } : {}) }));
    return 0;
  }
  print(
    `Tugdeck ${version()}, ${isClone ? `from the clone ${PACKAGE_ROOT}` : `installed in ${PACKAGE_ROOT}`}`,
  );
  for (const { name, build: its, how } of rows) {
    print(`${name.padEnd(16)} build ${visibleText(its)}${how === undefined ? '' : `, another one. ${how}`}`);
  }
  if (newer === undefined) print(adviceFor(isClone, line.flags.has('check')));
  else if (newer.count === 0) print('This is the newest commit.');
  else {
    print(`${newer.count} newer ${newer.count === 1 ? 'commit' : 'commits'}, the last first:`);
    for (const subject of newer.subjects) print(`  ${visibleText(subject)}`);
    print(`Update: cd ${PACKAGE_ROOT} && git pull && npm start`);
  }
  return 0;
};

async function others({ settings }: Context, build: string): Promise<Row[]> {
  const server = findServer(settings.data.ledger, settings.configuration.timings);
  if (!server) return [];
  const [status, machines] = await Promise.all([
    requestServer(server, { type: 'status' }),
    requestServer(server, { type: 'machines' }),
  ]);
  const rows: Row[] = [];
  if (status.type === 'status') {
    const how = 'Restart it: tugdeck stop, then tugdeck. Sessions keep running.';
    rows.push({
      name: 'running server',
      build: status.status.build,
      ...(status.status.build === build ? {} : { how }),
    });
  }
  for (const { name, build: its } of machines.type === 'machines' ? machines.machines : []) {
    if (its === undefined) continue;
    const how = `Update it there, or copy this one: tugdeck machine add ${name} --install`;
    rows.push({ name, build: its, ...(its === build ? {} : { how }) });
  }
  return rows;
}

function adviceFor(isClone: boolean, isChecked: boolean): string {
  if (isClone) return 'To look for newer commits: tugdeck update --check';
  const how = 'To update it, run git pull and npm pack in a clone, and npm install -g with the file.';
  return isChecked ? `An installed package doesn't know where it is from. ${how}` : how;
}

/** Commits of the upstream branch that the clone lacks. */
async function newerCommits(): Promise<{ count: number; subjects: string[] }> {
  const git = (...args: string[]) => gitText({ directory: PACKAGE_ROOT, args });
  try {
    await gitText({
      directory: PACKAGE_ROOT,
      args: ['fetch', '--quiet', '--no-tags', '--no-recurse-submodules'],
      network: true,
      timeoutMs: FETCH_MS,
    });
  } catch (error) {
    if (!(error instanceof CodedError)) throw error;
    throw new CodedError(error.code, `The remote can't be reached: ${error.message}`, error.hint);
  }
  const count = Number((await git('rev-list', '--count', 'HEAD..@{upstream}')).trim());
  const log = await git('log', `--max-count=${MAX_SUBJECTS}`, '--format=%h %s', 'HEAD..@{upstream}');
  return { count, subjects: log.split('\n').filter((subject) => subject !== '') };
}
