import type { MachineChoice } from '@tugdeck/local/machine';
import type { Configuration } from '@tugdeck/machine/configuration';
import type { Programs } from '@tugdeck/machine/programs';
import type { OpenedProject, OpenHow } from './control/answers.ts';
import type { Limits } from './limits.ts';

export interface ServerOptions {
  readonly dataRoot: string;
  readonly programs: Programs;
  /** `config.json` merged with command-line options. */
  readonly configuration: Configuration;
  /** The process environment; agents get a cleaned copy. */
  readonly environment: NodeJS.ProcessEnv;
  /** What to do if the data directory belongs to another machine (N3). Without it, the start is refused. */
  readonly machine?: MachineChoice | undefined;
  readonly limits?: Partial<Limits> | undefined;
  /** Called when the port was lost and the printed address no longer works. */
  readonly moved?: ((url: string) => void) | undefined;
  readonly now?: (() => number) | undefined;
}

export interface RunningServer {
  readonly origin: string;
  readonly port: number;
  /** Whether other machines can reach it; `isPlain`: traffic is unencrypted. */
  readonly reach: {
    readonly isLoopback: boolean;
    readonly isPlain: boolean;
    /** The origin of a proxy that serves other machines. */
    readonly proxied: string | undefined;
  };
  /** Adds a project like `tugdeck [--trust] DIR`. Returns a sign-in link that shows the project. */
  add(directory: string, environment: NodeJS.ProcessEnv, how?: OpenHow): Promise<OpenedProject>;
  /** Resolves when hosts of an earlier server are adopted or recovered. */
  readonly adopted: Promise<void>;
  /** Stops listening and flushes everything; hosts keep running (L8). */
  close(): Promise<void>;
  /** Resolves when the server has closed, for any reason. */
  readonly closed: Promise<void>;
  /** Whether it closed because another process took or removed its lock. */
  isLost(): boolean;
}
