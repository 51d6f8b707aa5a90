/**
 * A session of a machine that is off, read from its copy (N34). Nothing can be sent to it: what the page wants to send waits
 * there until the machine is back, and then the channel is over and is opened again.
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type DataDirectory, dataDirectory } from '@tugdeck/local/data-directory';
import type { Log } from '@tugdeck/local/log';
import { answerFromJournal } from '@tugdeck/machine/channels/journal-answers';
import type { PageChannel, PageRequest } from '@tugdeck/machine/port';
import { reportOf } from '@tugdeck/protocol/wire/errors';
import type { HostMessage } from '@tugdeck/protocol/wire/host-link';
import { type CopySource, readJournal } from './copy-reader.ts';

export interface CopyChannelOptions {
  readonly source: CopySource;
  readonly session: string;
  readonly data: Pick<DataDirectory, 'root'>;
  /** The machine may be online in a moment: the copy is not read before. */
  readonly isConnecting?: boolean;
  /** Resolves when the machine is back, or is no longer one of the deck's. */
  readonly whenBack: Promise<unknown>;
  readonly send: (messages: readonly string[]) => void;
  readonly log: Log;
}

/** Copies that pages read. */
function copiesFolder({ root }: Pick<DataDirectory, 'root'>): string {
  return join(root, 'cache', 'copies');
}

/** Deletes the ones of a killed server. */
export async function emptyCopies(data: Pick<DataDirectory, 'root'>): Promise<void> {
  await rm(copiesFolder(data), { recursive: true, force: true });
}

/** How long a machine may take to be reached when the deck starts. */
const CONNECTING_MS = 1_000;
/** Between attempts to read a copy. */
const RETRY_MS = 1_000;

let count = 0;

export function openCopyChannel({
  source,
  session,
  data,
  isConnecting = false,
  whenBack,
  send,
  log,
}: CopyChannelOptions): PageChannel {
  const folder = join(copiesFolder(data), `${process.pid}-${count++}`);
  const directory = dataDirectory(folder).session(session);
  let isClosed = false;
  let isPaused = false;
  const held: string[] = [];
  const deliver = (lines: readonly string[]) => {
    if (isClosed) return;
    if (isPaused) held.push(...lines);
    else send(lines);
  };
  let isBack = false;
  const back = whenBack.then(() => {
    isBack = true;
  });
  const read = async () => {
    if (isConnecting) await Promise.race([back, wait(CONNECTING_MS, undefined, { ref: false })]);
    while (!isClosed && !isBack) {
      try {
        // Never copied: as without a fleet, the channel waits until the machine is back.
        if ((await readJournal(source, session, directory)) === undefined) await back;
        return;
      } catch (error) {
        log.info('copy not read', { session, error });
        await Promise.race([back, wait(RETRY_MS, undefined, { ref: false })]);
      }
    }
  };
  const opened = read();
  let queue: Promise<void> = opened;
  const answer = async (request: PageRequest) => {
    if (request.type !== 'follow' && request.type !== 'entries' && request.type !== 'text') return;
    try {
      deliver((await answerFromJournal(directory, request)).lines);
    } catch (error) {
      deliver([JSON.stringify({ type: 'error', ...reportOf(error) } satisfies HostMessage)]);
    }
  };
  return {
    opened,
    lost: back,
    request(request) {
      queue = queue.then(() => (isClosed ? undefined : answer(request)));
    },
    pause() {
      isPaused = true;
    },
    resume() {
      isPaused = false;
      if (held.length > 0) deliver(held.splice(0));
    },
    close() {
      isClosed = true;
      void queue.then(() => rm(folder, { recursive: true, force: true }));
    },
  };
}
