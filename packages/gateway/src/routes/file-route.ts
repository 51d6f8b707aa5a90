/**
 * File contents over HTTP (W2): texts for the editor, bytes to preview or download, uploads. Project files are
 * untrusted: they are sent with a fixed content type, sandboxed, and never as a page of our origin (X1).
 */
import type { Readable } from 'node:stream';
import type { MachineFiles } from '@tugdeck/machine/port';
import { MAX_TEXT } from '@tugdeck/protocol/files/messages';
import { nameOf } from '@tugdeck/protocol/files/paths';
import { contentTypeOf } from '@tugdeck/protocol/files/preview-types';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';

const hash = z.string().regex(/^[0-9a-f]{64}$/);
const whereSchema = z.object({ project: z.string().min(1).max(100), path: z.string().min(1).max(4096) });
const readSchema = whereSchema.extend({ known: hash.optional() });
/** Without `expected`, the file must not exist. */
const saveSchema = whereSchema.extend({ expected: hash.optional() });
const rawSchema = whereSchema.extend({ keep: z.literal('1').optional() });

/** Custom content types, which a form on another site cannot send. */
const UPLOAD_TYPE = 'application/vnd.tugdeck.file';
const TEXT_TYPE = 'application/vnd.tugdeck.text';
const MAX_RAW = 256 * 1024 * 1024;

/** No scripts, forms or requests, and no access to our pages. */
const SANDBOX =
  "sandbox; default-src 'none'; img-src 'self' data:; style-src 'unsafe-inline'; frame-ancestors 'none'";
/** The browser's PDF viewer does not open in a sandbox. The fixed content type leaves nothing to run. */
const VIEWER = "default-src 'none'; object-src 'self'; plugin-types application/pdf; frame-ancestors 'none'";

export interface FileRouteOptions {
  readonly files: MachineFiles;
  readonly maxUpload: number;
}

export function serveFileContents(app: FastifyInstance, { files, maxUpload }: FileRouteOptions): void {
  app.get('/api/file/text', async (request, reply) => {
    const { project, path, known } = parseQuery(readSchema, request.query);
    const text = await files.readText(project, path, known);
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
    const { size, content } = await files.openRaw(project, path, MAX_RAW);
    const type = keep ? 'application/octet-stream' : contentTypeOf(path);
    const isDownload = type === 'application/octet-stream';
    const name = encodeURIComponent(nameOf(path)).replace(
      /['()*]/g,
      (sign) => `%${sign.charCodeAt(0).toString(16)}`,
    );
    return reply
      .header('content-type', type)
      .header('content-length', size)
      .header('content-disposition', `${isDownload ? 'attachment' : 'inline'}; filename*=UTF-8''${name}`)
      .header('content-security-policy', type === 'application/pdf' ? VIEWER : SANDBOX)
      .header('cache-control', 'no-store')
      .send(content);
  });

  app.addContentTypeParser(UPLOAD_TYPE, (_request, payload, done) => done(null, payload));
  // The machine checks the size, so that the error names the file.
  app.post('/api/file/upload', { bodyLimit: Number.MAX_SAFE_INTEGER }, async (request, reply) => {
    const { project, path } = parseQuery(whereSchema, request.query);
    const announced = Number(request.headers['content-length'] ?? 0);
    await files.receive(project, path, { body: request.body as Readable, announced, limit: maxUpload });
    return reply.status(201).send({});
  });
}

function parseQuery<T>(schema: z.ZodType<T>, query: unknown): T {
  const parsed = schema.safeParse(query);
  if (!parsed.success) throw new CodedError('INVALID_MESSAGE');
  return parsed.data;
}
