/** A prompt with the data of its attachments, which the journal stores separately (A12, X2). */
import type { Prompt } from '@tugdeck/drivers/kit/port';
import type { UserEntry } from '@tugdeck/protocol/conversation/entries';
import type { BlobRef } from '@tugdeck/protocol/conversation/long-text';
import { type Conversation, promptUnderway } from '@tugdeck/protocol/conversation/state';

/** The prompt, or the name of an attachment whose data is missing. */
export type Loaded = { readonly prompt: Prompt; readonly lost?: undefined } | { readonly lost: string };

export function loadedPrompt(
  { id, text, attachments = [] }: UserEntry,
  load: (ref: BlobRef) => string | undefined,
): Loaded {
  const loaded = [];
  for (const attachment of attachments) {
    const data = typeof attachment.data === 'string' ? attachment.data : load(attachment.data);
    if (data === undefined) return { lost: attachment.name };
    loaded.push({ ...attachment, data });
  }
  return { prompt: loaded.length === 0 ? { id, text } : { id, text, attachments: loaded } };
}

/** The prompt that was accepted but not sent yet. */
export function waitingPrompt(state: Conversation): UserEntry | undefined {
  const entry = promptUnderway(state);
  return entry?.kind === 'user' && entry.delivery === 'accepted' ? entry : undefined;
}
