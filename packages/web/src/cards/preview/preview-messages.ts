/**
 * Messages of the script in a preview (W7). The app shares its page with the script and can forge every one, so they are
 * only text: parsed here, cut, and drawn with hidden characters written out. Pure.
 */
import { visibleExact } from '../../kit/visible-text.ts';

export interface PickedElement {
  readonly selector: string;
  readonly text: string;
  readonly html: string;
  readonly size: string;
  readonly path: string;
}

export type FrameMessage =
  | { readonly type: 'report'; readonly level: 'error' | 'warning'; readonly text: string }
  | { readonly type: 'place'; readonly path: string }
  | { readonly type: 'picked'; readonly element: PickedElement | undefined };

const MAX_TEXT = 2_000;
const MAX_PATH = 1_000;

export function readFrameMessage(data: unknown): FrameMessage | undefined {
  if (typeof data !== 'object' || data === null) return undefined;
  const message = data as Record<string, unknown>;
  if (message.tugdeckPreview !== 1) return undefined;
  switch (message.type) {
    case 'report':
      return {
        type: 'report',
        level: message.level === 'warning' ? 'warning' : 'error',
        text: textOf(message.text),
      };
    case 'place': {
      const path = textOf(message.path, MAX_PATH);
      return path.startsWith('/') ? { type: 'place', path } : undefined;
    }
    case 'picked':
      return { type: 'picked', element: elementOf(message.element) };
    default:
      return undefined;
  }
}

function elementOf(raw: unknown): PickedElement | undefined {
  if (typeof raw !== 'object' || raw === null) return undefined;
  const { selector, text, html, size, path } = raw as Record<string, unknown>;
  return {
    selector: textOf(selector, MAX_PATH),
    text: textOf(text),
    html: textOf(html),
    size: textOf(size, 40),
    path: textOf(path, MAX_PATH),
  };
}

function textOf(value: unknown, limit = MAX_TEXT): string {
  if (typeof value !== 'string') return '';
  return value.length > limit ? `${value.slice(0, limit)}…` : value;
}

/** The text for the message box; the caller puts it into a code fence. */
export function describeElement(origin: string, { selector, text, html, size, path }: PickedElement): string {
  const lines = [
    `Element of ${origin}${path}`,
    `Selector: ${selector}`,
    `Size: ${size}`,
    ...(text === '' ? [] : [`Text: ${text}`]),
    `HTML: ${html}`,
  ];
  return lines.map((line) => visibleExact(line)).join('\n');
}
