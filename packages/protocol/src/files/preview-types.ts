/**
 * Content types for previews, decided by file extension only, never by content (X1). Everything else is a download.
 * SVG is only shown as an image, where it cannot run scripts.
 */
import type { FileText } from './messages.ts';

type Preview = NonNullable<Extract<FileText, { kind: 'binary' | 'large' }>['preview']>;

const IMAGES: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  avif: 'image/avif',
  bmp: 'image/bmp',
  ico: 'image/x-icon',
  svg: 'image/svg+xml',
};

export function contentTypeOf(path: string): string {
  const end = extensionOf(path);
  return IMAGES[end] ?? (end === 'pdf' ? 'application/pdf' : 'application/octet-stream');
}

export function previewOf(path: string): Preview | undefined {
  const end = extensionOf(path);
  if (Object.hasOwn(IMAGES, end)) return 'image';
  return end === 'pdf' ? 'pdf' : undefined;
}

function extensionOf(path: string): string {
  return /\.([a-z0-9]{1,5})$/i.exec(path)?.[1]?.toLowerCase() ?? '';
}
