/** One line of `tugdeck doctor`, and how a program is asked about itself. */
import { execFile } from 'node:child_process';

export interface Check {
  readonly name: string;
  /** `note`: worth knowing, nothing is wrong. */
  readonly state: 'ok' | 'note' | 'warning' | 'failed';
  readonly detail: string;
  /** What to do about it. */
  readonly fix?: string | undefined;
  /** For programs; of agents only. */
  readonly facts?: Readonly<Record<string, unknown>>;
}

/** A program that says nothing within this time is as good as silent. */
const TIMEOUT_MS = 10_000;

export interface ProgramResult {
  readonly code: number | undefined;
  readonly output: string;
}

export function runProgram(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<ProgramResult> {
  return new Promise((resolve) => {
    // Not where the command was called: some agents take up the project they are in, even for this (X6).
    execFile(
      command,
      [...args],
      { cwd: '/', env, timeout: TIMEOUT_MS, encoding: 'utf8' },
      (error, stdout, stderr) => {
        const code = error === null ? 0 : typeof error.code === 'number' ? error.code : undefined;
        resolve({ code, output: `${stdout}${stderr}`.trim() });
      },
    ).stdin?.end();
  });
}

/** The first thing that looks like a version. */
export function versionIn(text: string): string | undefined {
  return /\d+\.\d+\.\d+/.exec(text)?.[0];
}

/** Negative where `a` is the older one. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [a, b].map((version) => version.split('.').map(Number));
  for (let part = 0; part < 3; part++) {
    const difference = (left?.[part] ?? 0) - (right?.[part] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
