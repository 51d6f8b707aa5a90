/** Content blocks as text. Pure; images are handled by the caller. */
import { recordOf, textAt } from '../kit/fields.ts';
import { type ContentBlock, contentBlockSchema, type ToolContent } from './wire.ts';

export function blockText(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
      return block.text ?? '';
    case 'resource_link':
      return `[${block.title ?? block.name ?? block.uri ?? 'link'}](${block.uri ?? ''})`;
    case 'resource':
      return resourceText(block.resource);
    case 'audio':
      return `[audio, ${block.mimeType ?? 'unknown type'}]`;
    case 'image':
      return `[image, ${block.mimeType ?? 'unknown type'}]`;
    default:
      return block.text ?? `[${block.type}]`;
  }
}

function resourceText(resource: unknown): string {
  const uri = textAt(resource, 'uri') ?? 'resource';
  const text = textAt(resource, 'text');
  return text === undefined ? `[${uri}]` : `${uri}\n\n\`\`\`\n${text}\n\`\`\``;
}

export function blocksText(blocks: readonly ContentBlock[]): string {
  return blocks.map(blockText).join('');
}

/** The text parts of a tool's content, one below the other. */
export function toolText(content: readonly ToolContent[]): string {
  return toolBlocks(content)
    .filter(({ type }) => type !== 'image')
    .map(blockText)
    .join('\n');
}

export function toolBlocks(content: readonly ToolContent[]): ContentBlock[] {
  return content.flatMap((part) => {
    if (part.type !== 'content') return [];
    const parsed = contentBlockSchema.safeParse(part.content);
    return parsed.success ? [parsed.data] : [];
  });
}

/** Removes the code fence that some agents put around terminal or file contents. */
export function withoutFence(text: string): string {
  return /^```[\w-]*\n([\s\S]*?)\n?```\s*$/.exec(text)?.[1] ?? text;
}

/** The text of a tool's raw output, if it is in one of the usual fields. */
export function rawText(raw: unknown): string | undefined {
  if (typeof raw === 'string') return raw;
  if (Array.isArray(raw)) {
    const texts = raw.flatMap((part) => textAt(part, 'text') ?? []);
    return texts.length > 0 && texts.length === raw.length ? texts.join('\n') : undefined;
  }
  const fields = recordOf(raw);
  for (const key of ['output', 'error', 'text', 'message']) {
    const field = fields[key];
    if (typeof field === 'string' && field !== '') return field;
  }
  const inner = fields.content ?? recordOf(fields.result).content;
  return inner === undefined ? undefined : rawText(inner);
}
