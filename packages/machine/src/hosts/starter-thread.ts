/** Worker thread that starts processes for the server, because `fork` blocks. */
import { parentPort } from 'node:worker_threads';
import { startProcess } from '@tugdeck/local/start-process';
import type { StartAnswer, StartRequest } from './host-starter.ts';

parentPort?.on('message', async ({ id, request }: StartRequest) => {
  const answer: StartAnswer = await startProcess(request).then(
    (line) => ({ id, line }),
    (error: NodeJS.ErrnoException) => ({ id, fault: error.message, code: error.code }),
  );
  parentPort?.postMessage(answer);
});
