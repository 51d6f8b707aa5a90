/** Converts a prompt to the agent's input: text, images, and files as text. Pure. */
import type { Attachment } from '@tugdeck/protocol/conversation/entries';
import type { Fields } from '../kit/fields.ts';
import type { Prompt } from '../kit/port.ts';

export function promptInput({ text, attachments = [] }: Pick<Prompt, 'text' | 'attachments'>): Fields[] {
  return [
    ...(text === '' && attachments.length > 0 ? [] : [textPart(text)]),
    ...attachments.map(attachmentPart),
  ];
}

function textPart(text: string): Fields {
  return { type: 'text', text, text_elements: [] };
}

function attachmentPart({ name, mimeType, data }: Attachment): Fields {
  // A blob reference means that the host did not load it; the agent at least gets its name.
  if (typeof data !== 'string') return textPart(`[${name}, ${mimeType}]`);
  if (mimeType.startsWith('image/')) return { type: 'image', url: `data:${mimeType};base64,${data}` };
  if (mimeType.startsWith('audio/')) return { type: 'audio', url: `data:${mimeType};base64,${data}` };
  if (!isText(mimeType)) return textPart(`[${name}, ${mimeType}: this agent takes no such file]`);
  const text = Buffer.from(data, 'base64').toString('utf8');
  return textPart(`<file name=${JSON.stringify(name)}>\n${text}\n</file>`);
}

function isText(mimeType: string): boolean {
  return /^text\/|[/+](json|xml|yaml|toml|javascript|typescript)$/.test(mimeType);
}
