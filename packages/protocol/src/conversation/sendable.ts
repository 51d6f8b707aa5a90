/**
 * Which files may be attached to a prompt (A12): images up to a size, PDF, and text. Pure; `decide` uses it, so the
 * page refuses before anything is sent, and drivers use it to choose the form.
 */
import type { Attachment } from './entries.ts';

export const MAX_IMAGE = 5 * 1024 * 1024;
export const MAX_DOCUMENT = 32 * 1024 * 1024;
export const MAX_TEXT = 1024 * 1024;

const IMAGES = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);
const TEXT_TYPES =
  /^(text\/.*|application\/(json|xml|javascript|ecmascript|typescript|toml|yaml|x-yaml|x-sh|x-httpd-php|sql|graphql|rtf-text|x-ndjson|.+\+(json|xml)))$/;
/** Browsers guess the types of source files wrongly or not at all, so the name decides. */
const TEXT_NAMES =
  /(^|[/\\])(dockerfile|makefile|license|readme|\.?[a-z]*rc|\.env[^/\\]*|\.git[a-z]+)$|\.(txt|md|mdx|rst|csv|tsv|log|diff|patch|json|jsonc|jsonl|ndjson|ya?ml|toml|ini|cfg|conf|env|xml|svg|html?|css|scss|less|[cm]?[jt]sx?|vue|svelte|astro|py|pyi|rb|php|pl|lua|r|go|rs|java|kt|kts|scala|swift|c|h|cc|cpp|hpp|cs|fs|m|mm|dart|ex|exs|erl|hs|ml|clj|sql|graphql|proto|sh|bash|zsh|fish|ps1|bat|tf|gradle|lock|tex|bib|ipynb)$/i;

export type AttachmentForm = 'image' | 'document' | 'text';

/** The form in which an agent receives the file; undefined if it cannot be sent. */
export function attachmentForm({
  name,
  mimeType,
  size,
}: Pick<Attachment, 'name' | 'mimeType' | 'size'>): AttachmentForm | undefined {
  const type = mimeType.split(';')[0]?.trim().toLowerCase() ?? '';
  if (IMAGES.has(type)) return size <= MAX_IMAGE ? 'image' : undefined;
  if (type === 'application/pdf') return size <= MAX_DOCUMENT ? 'document' : undefined;
  if (TEXT_TYPES.test(type) || TEXT_NAMES.test(name)) return size <= MAX_TEXT ? 'text' : undefined;
  return undefined;
}

export function isSendable(attachment: Pick<Attachment, 'name' | 'mimeType' | 'size'>): boolean {
  return attachmentForm(attachment) !== undefined;
}
