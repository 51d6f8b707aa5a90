/** What every command is given. Commands write through it, so that tests can read what they say. */
import type { CommandLine } from '../command-line.ts';
import type { Settings } from '../settings.ts';

export interface Context {
  readonly line: CommandLine;
  readonly settings: Settings;
  readonly environment: NodeJS.ProcessEnv;
  /** The directory that relative paths are meant from. */
  readonly from: string;
  /** For the answer. */
  print(text: string): void;
  /** For people, beside the answer. */
  note(text: string): void;
}

/** Resolves with the exit code. */
export type Command = (context: Context) => Promise<number>;
