/** Gives every attempt the attachments of its prompt, which were uploaded once, into the first session (B37). */
import { copyBlob } from '@tugdeck/journal/blobs';
import type { DataDirectory } from '@tugdeck/local/data-directory';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import type { StoredAttempts } from '@tugdeck/store/attempt-table';
import type { FirstPrompt } from '../sessions/first-prompts.ts';

export function copyAttachments(
  data: Pick<DataDirectory, 'session'>,
  { members: [first] }: StoredAttempts,
  session: string,
  { attachments = [] }: FirstPrompt,
): void {
  if (!first || first.session === session) return;
  for (const { data: content } of attachments) {
    if (typeof content === 'string') continue;
    if (!copyBlob(data.session(first.session), data.session(session), content.blob))
      throw new CodedError('FILE_NOT_FOUND', 'An attached file is no longer stored.');
  }
}
