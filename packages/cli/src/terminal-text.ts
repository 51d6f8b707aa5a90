/**
 * Terminal-safe output. Text from agents, files and people must not move the cursor, change the title or fill the
 * clipboard; into a file or pipe it is written unchanged.
 */

import { ANSI_SEQUENCE } from '@tugdeck/protocol/export/plain-terminal';
import { visibleControls } from '@tugdeck/protocol/visible-text';

type Stream = Pick<NodeJS.WriteStream, 'write' | 'isTTY'>;

export function terminalText(text: string): string {
  return visibleControls(text.replace(/\r\n/g, '\n').replace(ANSI_SEQUENCE, ''));
}

export function writeLine(stream: Stream, text: string): void {
  stream.write(`${stream.isTTY ? terminalText(text) : text}\n`);
}

/** `tugdeck … | head`: the reader closed the pipe. The command still finishes, silently. */
export function surviveClosedPipes(...streams: readonly NodeJS.WriteStream[]): void {
  for (const stream of streams) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE' && error.code !== 'ECONNRESET') throw error;
    });
  }
}
