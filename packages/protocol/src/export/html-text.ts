/** Escapes untrusted text for our documents: no markup, and nothing hidden. Pure. */
import { visibleText } from '../visible-text.ts';

const MARKS: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

export function escapeHtml(text: string): string {
  return visibleText(text).replace(/[&<>"']/g, (mark) => MARKS[mark] ?? '');
}

/** Keeps character references in prose. */
export function escapeProse(text: string): string {
  return escapeHtml(text).replace(/&amp;(#x?[0-9a-f]{1,6}|[a-z]{2,31}\d{0,2});/gi, '&$1;');
}

/** The URL of a link; undefined unless it is http, https or mailto. */
export function safeAddress(address: string): string | undefined {
  const trimmed = address.trim();
  return /^(?:https?:\/\/|mailto:)[^\s<>"'\\]+$/i.test(trimmed) && visibleText(trimmed) === trimmed
    ? trimmed
    : undefined;
}

/** A picture as a data URL. */
export function pictureData(mimeType: string, base64: string): string | undefined {
  const isPicture = /^image\/(?:png|jpeg|gif|webp)$/.test(mimeType);
  return isPicture && /^[A-Za-z0-9+/\s]+={0,2}\s*$/.test(base64)
    ? `data:${mimeType};base64,${base64.replace(/\s+/g, '')}`
    : undefined;
}
