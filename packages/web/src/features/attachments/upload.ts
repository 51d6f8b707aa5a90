/** Turns a file into attachment data: small files are sent inline, larger ones are uploaded first. */
import { type Attachment, blobRefSchema } from '@tugdeck/protocol/conversation/entries';
import { apiFetch } from '../../kit/api.ts';

/** Twenty files of this size and the longest message fit into a frame. */
export const MAX_INLINE = 16 * 1024;

export async function dataOf(session: string, file: File, signal: AbortSignal): Promise<Attachment['data']> {
  return file.size <= MAX_INLINE ? base64Of(file) : upload(session, file, signal);
}

async function upload(session: string, file: File, signal: AbortSignal): Promise<Attachment['data']> {
  const response = await apiFetch(`/api/upload/${encodeURIComponent(session)}`, {
    method: 'POST',
    headers: { 'content-type': 'application/octet-stream' },
    body: file,
    signal,
  });
  if (response.status === 413) throw new Error('File is too large to attach');
  if (!response.ok) throw new Error(`Couldn’t upload this file (${response.status})`);
  return blobRefSchema.parse(await response.json());
}

function base64Of(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).split(',', 2)[1] ?? '');
    reader.onerror = () => reject(new Error('Couldn’t read this file'));
    reader.readAsDataURL(file);
  });
}
