/** One line of `tugdeck doctor`, and running a program to ask for its version. */
import { execFile } from 'node:child_process';

export interface Check {
  readonly name: string;
  /** `note`: worth knowing, but not a problem. */
  readonly state: 'ok' | 'note' | 'warning' | 'failed';
  readonly detail: string;
  /** How to fix it. */
  readonly fix?: string | undefined;
  /** Machine-readable details, for agents only. */
  readonly facts?: Readonly<Record<string, unknown>>;
}

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
    // Not in the current directory: some agents read the project's configuration even for this (X6).
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

/** The first text that looks like a version. */
export function versionIn(text: string): string | undefined {
  return /\d+\.\d+\.\d+/.exec(text)?.[0];
}

/** Negative if `a` is older. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [a, b].map((version) => version.split('.').map(Number));
  for (let part = 0; part < 3; part++) {
    const difference = (left?.[part] ?? 0) - (right?.[part] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
