/**
 * The built `tugdeck` command without a browser: a sandbox, the real agent on its PATH, only the model scripted.
 * `talk` runs the stdio protocol like another program: lines in, messages out, each validated by its schema.
 */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { dataDirectory } from '@tugdeck/local/data-directory';
import { type LedgerRecord, openLedger } from '@tugdeck/local/ledger';
import { outboundMessageSchema, type VersionedMessage } from '@tugdeck/protocol/stdio/messages';
import { claudeFolder } from '@tugdeck/testkit/agents';
import { claudeEnvironment } from '@tugdeck/testkit/clean-env';
import { type FakeAnthropic, startFakeAnthropic } from '@tugdeck/testkit/fake-anthropic';
import { projectFiles } from '@tugdeck/testkit/scenarios';
import { createSandbox, type Sandbox } from '@tugdeck/testkit/temp';
import { LONG_TIMEOUTS } from './long-timeouts.ts';

const program = fileURLToPath(new URL('../dist/tugdeck.mjs', import.meta.url));

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Place {
  readonly sandbox: Sandbox;
  readonly fake: FakeAnthropic;
  readonly environment: Readonly<Record<string, string>>;
  records(): LedgerRecord[];
  spawn(...args: string[]): ChildProcessWithoutNullStreams;
  /** With more environment variables. */
  spawnWith(more: Readonly<Record<string, string>>, ...args: string[]): ChildProcessWithoutNullStreams;
  run(...args: string[]): Promise<Ran>;
  talk(...args: string[]): Talker;
  close(): Promise<void>;
}

export async function openPlace(): Promise<Place> {
  if (!existsSync(program)) throw new Error('Build first: npm run build');
  const sandbox = await createSandbox({ files: projectFiles });
  await writeFile(join(sandbox.data, 'config.json'), JSON.stringify({ timings: LONG_TIMEOUTS }));
  const fake = await startFakeAnthropic();
  const environment = claudeEnvironment(sandbox, fake, {
    pathFirst: [claudeFolder()],
    extra: { TUGDECK_DATA_DIR: sandbox.data, TUGDECK_RUNTIME_DIR: sandbox.runtime },
  });
  const ledger = openLedger(dataDirectory(sandbox.data).ledger);
  const place: Place = {
    sandbox,
    fake,
    environment,
    records: () => ledger.read(),
    spawn: (...args) => place.spawnWith({}, ...args),
    spawnWith: (more, ...args) =>
      spawn(process.execPath, [program, ...args], { env: { ...environment, ...more }, cwd: sandbox.project }),
    async run(...args) {
      const child = place.spawn(...args);
      child.stdin.end();
      return finished(child);
    },
    talk: (...args) => new Talker(place.spawn('talk', ...args)),
    async close() {
      await place.run('stop', '--all');
      await fake.close();
      await sandbox.dispose();
    },
  };
  return place;
}

export async function finished(child: ChildProcessWithoutNullStreams): Promise<Ran> {
  const output = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output.stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output.stderr += text;
  });
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, ...output };
}

type Of<T extends VersionedMessage['type']> = Extract<VersionedMessage, { type: T }>;

export class Talker {
  readonly process: ChildProcessWithoutNullStreams;
  readonly messages: VersionedMessage[] = [];
  readonly ended: Promise<number | null>;
  /** Output on stdout that isn't a message. */
  readonly strange: string[] = [];
  stderr = '';
  #seen = 0;
  #wake: () => void = () => undefined;
  #isOver = false;

  constructor(child: ChildProcessWithoutNullStreams) {
    this.process = child;
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      const lines = (text + chunk).split('\n');
      text = lines.pop() ?? '';
      for (const line of lines) this.#take(line);
      this.#wake();
    });
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      this.stderr += chunk;
    });
    this.ended = once(child, 'close').then(([code]) => {
      if (text !== '') this.strange.push(text);
      this.#isOver = true;
      this.#wake();
      return code as number | null;
    });
  }

  send(...messages: (object | string)[]): void {
    for (const message of messages) {
      this.process.stdin.write(`${typeof message === 'string' ? message : JSON.stringify(message)}\n`);
    }
  }

  /** The next message of the type, after the last one waited for; others in between are passed over. */
  async next<T extends VersionedMessage['type']>(
    type: T,
    fits: (message: Of<T>) => boolean = () => true,
  ): Promise<Of<T>> {
    for (;;) {
      while (this.#seen < this.messages.length) {
        const message = this.messages[this.#seen++];
        if (message?.type === type && fits(message as Of<T>)) return message as Of<T>;
      }
      if (this.#isOver)
        throw new Error(`ended without ${type}: ${this.stderr}${JSON.stringify(this.messages)}`);
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  all<T extends VersionedMessage['type']>(type: T): Of<T>[] {
    return this.messages.filter((message): message is Of<T> => message.type === type);
  }

  #take(line: string): void {
    try {
      this.messages.push(outboundMessageSchema.parse(JSON.parse(line)));
    } catch {
      this.strange.push(line);
    }
  }
}
