/** A thread of the server that starts processes, one after the other: to fork holds up whoever does it. */
import { parentPort } from 'node:worker_threads';
import type { StartAnswer, StartRequest } from './host-starter.ts';
import { startProcess } from './start-process.ts';

parentPort?.on('message', async ({ id, request }: StartRequest) => {
  const answer: StartAnswer = await startProcess(request).then(
    (line) => ({ id, line }),
    (error: unknown) => ({ id, fault: error instanceof Error ? error.message : String(error) }),
  );
  parentPort?.postMessage(answer);
});
