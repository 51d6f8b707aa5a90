/** What every command gets. Commands write through it, so that tests can read their output. */
import type { CommandLine } from '../command-line.ts';
import type { Settings } from '../settings.ts';

export interface Context {
  readonly line: CommandLine;
  readonly settings: Settings;
  readonly environment: NodeJS.ProcessEnv;
  /** Base for relative paths. */
  readonly from: string;
  /** Writes a result to stdout. */
  print(text: string): void;
  /** Writes a message for people to stderr. */
  note(text: string): void;
}

/** Resolves with the exit code. */
export type Command = (context: Context) => Promise<number>;
