/**
 * Raw HTML in Markdown: tags that are not allowed become text, then DOMPurify with the same frozen list makes a
 * fragment, then our URL policy applies. No other part of the renderer turns strings into markup.
 */
import createPurifier, { type Config } from 'dompurify';
import { linkAddress, pictureAddress } from '../../kit/url-policy.ts';
import { visibleProse } from '../../kit/visible-text.ts';
import {
  ALLOWED_ATTRIBUTES,
  ALLOWED_TAGS,
  allowedTagAt,
  escapeOtherTags,
  VOID_TAGS,
} from './allowed-tags.ts';

export const RAW_HTML_POLICY = Object.freeze({
  ALLOWED_TAGS,
  ALLOWED_ATTR: ALLOWED_ATTRIBUTES,
  FORBID_TAGS: Object.freeze([
    ...['script', 'iframe', 'object', 'embed', 'form', 'style', 'link', 'meta', 'base', 'svg', 'math'],
  ]),
  FORBID_ATTR: Object.freeze(['onerror', 'onload', 'onclick', 'onmouseover', 'onfocus', 'onblur']),
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
});

// DOMPurify needs mutable arrays; the frozen lists above are the source.
const CONFIG = {
  ALLOWED_TAGS: [...RAW_HTML_POLICY.ALLOWED_TAGS],
  ALLOWED_ATTR: [...RAW_HTML_POLICY.ALLOWED_ATTR],
  FORBID_TAGS: [...RAW_HTML_POLICY.FORBID_TAGS],
  FORBID_ATTR: [...RAW_HTML_POLICY.FORBID_ATTR],
  ALLOW_DATA_ATTR: RAW_HTML_POLICY.ALLOW_DATA_ATTR,
  ALLOW_ARIA_ATTR: RAW_HTML_POLICY.ALLOW_ARIA_ATTR,
  RETURN_DOM_FRAGMENT: true,
} as const satisfies Config;

let purifier: ReturnType<typeof createPurifier> | undefined;

/** Sets or removes the URL of a link. The only place where `href` is set. */
export function setLink(node: HTMLAnchorElement, address: string): boolean {
  const safe = linkAddress(address, document.baseURI);
  if (safe === undefined) {
    node.removeAttribute('href');
    return false;
  }
  node.setAttribute('href', safe);
  node.setAttribute('target', '_blank');
  node.setAttribute('rel', 'noopener noreferrer');
  return true;
}

function applyPolicy(fragment: DocumentFragment): void {
  for (const link of fragment.querySelectorAll('a')) setLink(link, link.getAttribute('href') ?? '');
  for (const picture of fragment.querySelectorAll('img')) {
    const address = picture.getAttribute('src') ?? '';
    const safe = pictureAddress(address, document.baseURI);
    if (safe !== undefined) {
      picture.setAttribute('src', safe);
      continue;
    }
    const link = document.createElement('a');
    link.textContent = picture.getAttribute('alt') || address;
    setLink(link, address);
    picture.replaceWith(link);
  }
}

export function sanitizeHtml(html: string): DocumentFragment {
  purifier ??= createPurifier(window);
  // DOMPurify returns null for content without a body, such as a frameset.
  const made: DocumentFragment | null = purifier.sanitize(escapeOtherTags(visibleProse(html)), {
    ...CONFIG,
  });
  const fragment = made ?? document.createDocumentFragment();
  applyPolicy(fragment);
  return fragment;
}

/** The element of a single opening tag; undefined if it is not allowed. */
export function sanitizeTag(tag: string): Element | undefined {
  const first = sanitizeHtml(tag).firstElementChild;
  // A remote image has become a link with text.
  if (!VOID_TAGS.has(allowedTagAt(tag)?.name ?? '')) first?.replaceChildren();
  return first ?? undefined;
}
