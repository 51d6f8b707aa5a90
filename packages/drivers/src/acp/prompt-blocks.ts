/** Converts a prompt to content blocks, as far as the agent supports them. Pure. */
import type { Attachment } from '@tugdeck/protocol/conversation/entries';
import { type Fields, recordOf } from '../kit/fields.ts';
import type { Prompt } from '../kit/port.ts';

export interface PromptAbilities {
  readonly image: boolean;
  readonly audio: boolean;
  readonly embedded: boolean;
  /** The agent drops images if the prompt also has resources. */
  readonly imagesAlone: boolean;
}

export function abilitiesOf(initialized: unknown, imagesAlone: boolean): PromptAbilities {
  const { image, audio, embeddedContext } = recordOf(
    recordOf(recordOf(initialized).agentCapabilities).promptCapabilities,
  );
  return { image: image === true, audio: audio === true, embedded: embeddedContext === true, imagesAlone };
}

export function promptBlocks({ text, attachments = [] }: Prompt, abilities: PromptAbilities): Fields[] {
  const hasImage = attachments.some(({ mimeType }) => mimeType.startsWith('image/'));
  const embedded = abilities.embedded && !(abilities.imagesAlone && hasImage);
  return [
    ...(text === '' ? [] : [{ type: 'text', text }]),
    ...attachments.map((attachment) => attachmentBlock(attachment, { ...abilities, embedded })),
  ];
}

function attachmentBlock({ name, mimeType, data }: Attachment, abilities: PromptAbilities): Fields {
  const uri = `attachment:///${encodeURIComponent(name)}`;
  // A blob reference means that the host did not load it; the agent at least gets its name.
  if (typeof data !== 'string') return { type: 'resource_link', uri, name, mimeType };
  if (mimeType.startsWith('image/') && abilities.image) return { type: 'image', mimeType, data };
  if (mimeType.startsWith('audio/') && abilities.audio) return { type: 'audio', mimeType, data };
  if (isText(mimeType)) {
    const text = Buffer.from(data, 'base64').toString('utf8');
    if (abilities.embedded) return { type: 'resource', resource: { uri, mimeType, text } };
    return { type: 'text', text: `<file name=${JSON.stringify(name)}>\n${text}\n</file>` };
  }
  if (abilities.embedded) return { type: 'resource', resource: { uri, mimeType, blob: data } };
  return { type: 'resource_link', uri, name, mimeType };
}

function isText(mimeType: string): boolean {
  return /^text\/|[/+](json|xml|yaml|toml|javascript|typescript)$/.test(mimeType);
}
