/**
 * The user's named commands from `config.json` (W5): started, watched and stopped from the page. They run in the
 * project's directory with its environment, in their own process group, and end with the server.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import type { Build } from '@tugdeck/protocol/stats/stats-messages';
import { CodedError } from '@tugdeck/protocol/wire/errors';

export interface BuildProject {
  readonly project: string;
  readonly directory: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly commands: Readonly<Record<string, string>>;
}

export interface BuildsOptions {
  readonly projects: () => readonly BuildProject[];
  readonly now: () => number;
  readonly terminateMs: number;
}

interface Run {
  readonly startedAt: number;
  readonly child: ChildProcess | undefined;
  state: Build['state'];
  tookMs?: number;
  exitCode?: number;
  tail: string;
  isStopping: boolean;
}

const TAIL = 8_000;

export class Builds {
  readonly #options: BuildsOptions;
  readonly #runs = new Map<string, Run>();
  readonly #listeners = new Set<(build: Build) => void>();

  constructor(options: BuildsOptions) {
    this.#options = options;
  }

  list(): Build[] {
    return this.#options
      .projects()
      .flatMap(({ project, commands }) =>
        Object.entries(commands).map(([name, command]) => this.#build(project, name, command)),
      );
  }

  subscribe(listener: (build: Build) => void): () => void {
    const own = (build: Build) => listener(build);
    this.#listeners.add(own);
    return () => {
      this.#listeners.delete(own);
    };
  }

  run(project: string, name: string): Build {
    const { place, command } = this.#find(project, name);
    const id = keyOf(project, name);
    if (this.#runs.get(id)?.state === 'running')
      throw new CodedError('TOO_MANY', 'This command is already running.');
    const child = spawn(command, {
      cwd: place.directory,
      env: { ...place.environment },
      shell: true,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const run: Run = {
      startedAt: this.#options.now(),
      child,
      state: 'running',
      tail: '',
      isStopping: false,
    };
    this.#runs.set(id, run);
    const publish = () => this.#publish(this.#build(project, name, command));
    const append = (text: string) => {
      run.tail = (run.tail + text).slice(-TAIL);
    };
    child.stdout.setEncoding('utf8').on('data', append);
    child.stderr.setEncoding('utf8').on('data', append);
    child.once('error', (error) => append(`${error.message}\n`));
    child.once('close', (code) => {
      run.state = run.isStopping ? 'stopped' : code === 0 ? 'passed' : 'failed';
      if (code !== null) run.exitCode = code;
      run.tookMs = this.#options.now() - run.startedAt;
      publish();
    });
    publish();
    return this.#build(project, name, command);
  }

  stop(project: string, name: string): void {
    this.#find(project, name);
    const run = this.#runs.get(keyOf(project, name));
    if (run?.state === 'running') this.#terminate(run);
  }

  close(): void {
    this.#listeners.clear();
    for (const run of this.#runs.values()) if (run.state === 'running') this.#terminate(run);
  }

  #terminate(run: Run): void {
    run.isStopping = true;
    signal(run.child, 'SIGTERM');
    setTimeout(
      () => run.state === 'running' && signal(run.child, 'SIGKILL'),
      this.#options.terminateMs,
    ).unref();
  }

  #find(project: string, name: string): { place: BuildProject; command: string } {
    const place = this.#options.projects().find((one) => one.project === project);
    const command = place && Object.hasOwn(place.commands, name) ? place.commands[name] : undefined;
    if (!place || command === undefined) throw new CodedError('NOT_FOUND', 'This command is not configured.');
    return { place, command };
  }

  #build(project: string, name: string, command: string): Build {
    const run = this.#runs.get(keyOf(project, name));
    return {
      project,
      name,
      command,
      state: run?.state ?? 'never',
      ...(run ? { startedAt: run.startedAt } : {}),
      ...(run?.tookMs === undefined ? {} : { tookMs: run.tookMs }),
      ...(run?.exitCode === undefined ? {} : { exitCode: run.exitCode }),
      tail: run?.tail ?? '',
    };
  }

  #publish(build: Build): void {
    for (const listener of [...this.#listeners]) listener(build);
  }
}

function keyOf(project: string, name: string): string {
  return `${project}\0${name}`;
}

function signal(child: ChildProcess | undefined, name: NodeJS.Signals): void {
  if (child?.pid === undefined || child.exitCode !== null) return;
  try {
    process.kill(-child.pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
