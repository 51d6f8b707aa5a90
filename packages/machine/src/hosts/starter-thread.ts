/** Worker thread that starts processes for the server, because `fork` blocks. */
import { parentPort } from 'node:worker_threads';
import type { StartAnswer, StartRequest } from './host-starter.ts';
import { startProcess } from './start-process.ts';

parentPort?.on('message', async ({ id, request }: StartRequest) => {
  const answer: StartAnswer = await startProcess(request).then(
    (line) => ({ id, line }),
    (error: NodeJS.ErrnoException) => ({ id, fault: error.message, code: error.code }),
  );
  parentPort?.postMessage(answer);
});
