/** File contents over HTTP, validated by schemas. */
import { ClientError, connectionLostError } from '@tugdeck/client/client-error';
import {
  type FileText,
  fileTextSchema,
  type SaveAnswer,
  saveAnswerSchema,
} from '@tugdeck/protocol/files/messages';
import { errorCodeSchema } from '@tugdeck/protocol/wire/error-codes';
import { z } from 'zod';
import { apiFetch } from '../../kit/api.ts';

const faultSchema = z.object({ code: errorCodeSchema, message: z.string(), hint: z.string().optional() });

export interface FilePlace {
  readonly project: string;
  readonly path: string;
}

export async function readFile(place: FilePlace, known?: string): Promise<FileText> {
  const response = await request('text', place, known === undefined ? {} : { known });
  return fileTextSchema.parse(await response.json());
}

/** Without `expected` the file must not exist yet. */
export async function saveFile(place: FilePlace, text: string, expected?: string): Promise<SaveAnswer> {
  const response = await request('text', place, expected === undefined ? {} : { expected }, {
    method: 'PUT',
    body: text,
    headers: { 'content-type': 'application/vnd.tugdeck.text' },
  });
  return saveAnswerSchema.parse(await response.json());
}

export async function uploadFile(place: FilePlace, file: Blob): Promise<void> {
  await request(
    'upload',
    place,
    {},
    {
      method: 'POST',
      body: file,
      headers: { 'content-type': 'application/vnd.tugdeck.file' },
    },
  );
}

/** `version` gives a changed file another URL. */
export function rawAddress(place: FilePlace, more: Record<string, string> = {}): string {
  return `/api/file/raw?${new URLSearchParams({ ...place, ...more })}`;
}

async function request(what: string, place: FilePlace, more: object, init?: RequestInit): Promise<Response> {
  const address = `/api/file/${what}?${new URLSearchParams({ ...place, ...more })}`;
  let response: Response;
  try {
    response = await apiFetch(address, init);
  } catch (error) {
    if (error instanceof TypeError) throw connectionLostError();
    throw error;
  }
  if (response.ok) return response;
  const body: unknown = await response.json().catch(() => undefined);
  // A refused save is a valid reply: it contains the current version.
  if (response.status === 409 && saveAnswerSchema.safeParse(body).success) return Response.json(body);
  const fault = faultSchema.safeParse(body);
  if (fault.success) throw new ClientError(fault.data.code, fault.data.message, fault.data.hint);
  throw new Error(`Server error (${response.status})`);
}
