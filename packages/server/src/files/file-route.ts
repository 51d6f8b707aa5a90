/**
 * Contents of files over HTTP (W2): texts for the editor, bytes to look at or keep, uploads. What a project holds is
 * foreign: its bytes are sent under a type of our choosing, into a sandbox, and never as a page of ours (X1).
 */
import { constants, createWriteStream } from 'node:fs';
import { link, open, unlink } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type FileText, MAX_TEXT } from '@tugdeck/protocol/files/messages';
import { nameOf } from '@tugdeck/protocol/files/paths';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { checkChangeable, openChangeable, openFile, withTarget } from './confined.ts';
import { coded } from './file-faults.ts';
import type { FileService } from './file-service.ts';
import { contentTypeOf } from './preview-types.ts';
import { readText } from './read-file.ts';
import { temporaryName } from './temporary-names.ts';

const hash = z.string().regex(/^[0-9a-f]{64}$/);
const whereSchema = z.object({ project: z.string().min(1).max(100), path: z.string().min(1).max(4096) });
const readSchema = whereSchema.extend({ known: hash.optional() });
/** Without `expected` there must be no such file. */
const saveSchema = whereSchema.extend({ expected: hash.optional() });
const rawSchema = whereSchema.extend({ keep: z.literal('1').optional() });

/** Bytes that are meant as a file, whatever they are; not what a form of another page could send. */
const UPLOAD_TYPE = 'application/vnd.tugdeck.file';
const TEXT_TYPE = 'application/vnd.tugdeck.text';
const MAX_RAW = 256 * 1024 * 1024;

/** Whatever it is, it may do nothing: no script, no form, no request, no way to a page of ours. */
const SANDBOX =
  "sandbox; default-src 'none'; img-src 'self' data:; style-src 'unsafe-inline'; frame-ancestors 'none'";
/** A browser's own viewer does not open in a sandbox; the type is fixed, so that there is no page to run anything in. */
const VIEWER = "default-src 'none'; object-src 'self'; plugin-types application/pdf; frame-ancestors 'none'";

export interface FileRouteOptions {
  readonly files: FileService;
  readonly maxUpload: number;
}

export function serveFileContents(app: FastifyInstance, { files, maxUpload }: FileRouteOptions): void {
  app.get('/api/file/text', async (request, reply) => {
    const { project, path, known } = parseQuery(readSchema, request.query);
    const text = await readText(files.directoryOf(project), path, known).catch(goneOrFault);
    return reply.header('cache-control', 'no-store').send(text);
  });

  app.addContentTypeParser(TEXT_TYPE, { parseAs: 'buffer', bodyLimit: MAX_TEXT }, (_request, body, done) =>
    done(null, body),
  );
  app.put('/api/file/text', { bodyLimit: MAX_TEXT }, async (request, reply) => {
    const { project, path, expected } = parseQuery(saveSchema, request.query);
    if (!Buffer.isBuffer(request.body)) throw new CodedError('INVALID_MESSAGE');
    const answer = await files.save(project, path, request.body, expected);
    return reply.status(answer.kind === 'saved' ? 200 : 409).send(answer);
  });

  app.get('/api/file/raw', { config: { isLoad: true } }, async (request, reply) => {
    const { project, path, keep } = parseQuery(rawSchema, request.query);
    const { handle, stats } = await coded(() => openFile(files.directoryOf(project), path));
    if (stats.size > MAX_RAW) {
      await handle.close();
      throw new CodedError('FILE_TOO_LARGE');
    }
    const type = keep ? 'application/octet-stream' : contentTypeOf(path);
    const isKept = type === 'application/octet-stream';
    const name = encodeURIComponent(nameOf(path)).replace(
      /['()*]/g,
      (sign) => `%${sign.charCodeAt(0).toString(16)}`,
    );
    return reply
      .header('content-type', type)
      .header('content-length', stats.size)
      .header('content-disposition', `${isKept ? 'attachment' : 'inline'}; filename*=UTF-8''${name}`)
      .header('content-security-policy', type === 'application/pdf' ? VIEWER : SANDBOX)
      .header('cache-control', 'no-store')
      .send(handle.createReadStream({ start: 0, end: Math.max(0, stats.size - 1) }));
  });

  app.addContentTypeParser(UPLOAD_TYPE, (_request, payload, done) => done(null, payload));
  // Counted below, so that it is said of a file.
  app.post('/api/file/upload', { bodyLimit: Number.MAX_SAFE_INTEGER }, async (request, reply) => {
    const { project, path } = parseQuery(whereSchema, request.query);
    const root = files.directoryOf(project);
    checkChangeable(path);
    if (Number(request.headers['content-length']) > maxUpload) throw new CodedError('FILE_TOO_LARGE');
    await coded(() => receive(root, path, request.body as Readable, maxUpload));
    return reply.status(201).send({});
  });
}

function goneOrFault(error: unknown): FileText {
  if (error instanceof CodedError && error.code === 'FILE_NOT_FOUND') return { kind: 'gone' };
  throw error;
}

/** Whole or not at all, and over nothing. */
async function receive(root: string, path: string, body: Readable, limit: number): Promise<void> {
  await withTarget(openChangeable(root, path), async ({ folder, name }) => {
    const fresh = folder.at(temporaryName(name));
    const { O_CREAT, O_EXCL, O_WRONLY, O_NOFOLLOW = 0 } = constants;
    const handle = await open(fresh, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW, 0o666);
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
      await link(fresh, folder.at(name));
    } finally {
      await handle.close();
      await unlink(fresh);
    }
  });
}

function parseQuery<T>(schema: z.ZodType<T>, query: unknown): T {
  const parsed = schema.safeParse(query);
  if (!parsed.success) throw new CodedError('INVALID_MESSAGE');
  return parsed.data;
}
