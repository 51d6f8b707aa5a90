/** Contents of project files for the port: texts, bytes to preview or download, uploads (W2). */
import { constants, createWriteStream } from 'node:fs';
import { link, open, unlink } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { checkChangeable, openChangeable, openFile, withTarget } from '@tugdeck/local/files/confined';
import { coded } from '@tugdeck/local/files/file-faults';
import { temporaryName } from '@tugdeck/local/files/temporary-names';
import { type FileText, MAX_FOUND } from '@tugdeck/protocol/files/messages';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import type { MachineFiles } from '../port.ts';
import type { FileService } from './file-service.ts';
import { readText } from './read-file.ts';

export function fileContents(files: FileService): MachineFiles {
  return {
    async find(project, query) {
      const found = await files.open(project).index.find(query, MAX_FOUND);
      return found.map(({ path, kind }) => ({ path, kind }));
    },
    readText: (project, path, known) => readText(files.directoryOf(project), path, known).catch(goneOrFault),
    save: (project, path, bytes, expected) => files.save(project, path, bytes, expected),
    async openRaw(project, path, limit) {
      const { handle, stats } = await coded(() => openFile(files.directoryOf(project), path));
      if (stats.size > limit) {
        await handle.close();
        throw new CodedError('FILE_TOO_LARGE');
      }
      return {
        size: stats.size,
        content: handle.createReadStream({ start: 0, end: Math.max(0, stats.size - 1) }),
      };
    },
    async receive(project, path, { body, announced = 0, limit }) {
      const root = files.directoryOf(project);
      checkChangeable(path);
      if (announced > limit) throw new CodedError('FILE_TOO_LARGE');
      await coded(() => receive(root, path, body, limit));
    },
  };
}

function goneOrFault(error: unknown): FileText {
  if (error instanceof CodedError && error.code === 'FILE_NOT_FOUND') return { kind: 'gone' };
  throw error;
}

/** Writes the complete file or nothing, and never overwrites. */
async function receive(root: string, path: string, body: Readable, limit: number): Promise<void> {
  await withTarget(openChangeable(root, path), async ({ folder, name }) => {
    const temporary = folder.at(temporaryName(name));
    const { O_CREAT, O_EXCL, O_WRONLY, O_NOFOLLOW = 0 } = constants;
    const handle = await open(temporary, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW, 0o666);
    try {
      let size = 0;
      const bounded = async function* (parts: AsyncIterable<Buffer>) {
        for await (const part of parts) {
          size += part.length;
          if (size > limit) throw new CodedError('FILE_TOO_LARGE');
          yield part;
        }
      };
      await pipeline(body, bounded, createWriteStream('', { fd: handle.fd, autoClose: false }));
      await link(temporary, folder.at(name));
    } finally {
      await handle.close();
      await unlink(temporary);
    }
  });
}
