/**
 * Runs in every previewed document (W7), inserted by the proxy: reports errors and the address to the deck, and lets the
 * user pick an element. Shares its page with the app, which can call or forge all of this; the deck treats every message
 * as text from the app. A classic script without imports.
 */
{
  const deck = document.currentScript?.dataset.deck ?? '';
  const MAX_TEXT = 2_000;
  const MAX_HTML = 1_500;
  const MAX_REPORTS = 200;
  let reports = 0;

  const post = (message: object) => {
    if (parent === self || deck === '') return;
    parent.postMessage({ tugdeckPreview: 1, ...message }, deck);
  };
  const cut = (text: string, limit = MAX_TEXT) => (text.length > limit ? `${text.slice(0, limit)}…` : text);
  const textOf = (value: unknown): string => {
    if (value instanceof Error) return value.stack ?? `${value.name}: ${value.message}`;
    if (typeof value === 'string') return value;
    try {
      return JSON.stringify(value) ?? String(value);
    } catch {
      return String(value);
    }
  };
  const report = (level: 'error' | 'warning', text: string) => {
    reports++;
    if (reports <= MAX_REPORTS) post({ type: 'report', level, text: cut(text) });
  };

  addEventListener(
    'error',
    (event) => {
      const { target } = event;
      if (event instanceof ErrorEvent) {
        report('error', `${event.message}\n${event.filename}:${event.lineno}:${event.colno}`);
      } else if (target instanceof Element) {
        const source = target.getAttribute('src') ?? target.getAttribute('href') ?? '';
        report('error', `Failed to load ${target.tagName.toLowerCase()} ${source}`);
      }
    },
    true,
  );
  addEventListener('unhandledrejection', ({ reason }) =>
    report('error', `Unhandled rejection: ${textOf(reason)}`),
  );
  for (const [method, level] of [
    ['error', 'error'],
    ['warn', 'warning'],
  ] as const) {
    const original = console[method];
    console[method] = (...values: unknown[]) => {
      original.apply(console, values);
      report(level, values.map(textOf).join(' '));
    };
  }

  // Cookies of a frame on another site are dropped without these attributes.
  const cookies = Object.getOwnPropertyDescriptor(Document.prototype, 'cookie');
  if (cookies?.set && cookies.get) {
    const { get, set } = cookies;
    Object.defineProperty(Document.prototype, 'cookie', {
      configurable: true,
      enumerable: true,
      get,
      set(this: Document, value: string) {
        const kept = String(value)
          .split(';')
          .filter((part, at) => at === 0 || !/^\s*(?:domain|samesite|secure|partitioned)\b/i.test(part));
        set.call(this, `${kept.join(';')}; Secure; SameSite=None; Partitioned`);
      },
    });
  }

  const tellPlace = () => post({ type: 'place', path: location.pathname + location.search + location.hash });
  for (const method of ['pushState', 'replaceState'] as const) {
    const original = history[method];
    history[method] = function (this: History, ...rest: Parameters<History['pushState']>) {
      original.apply(this, rest);
      tellPlace();
    };
  }
  addEventListener('popstate', tellPlace);
  addEventListener('hashchange', tellPlace);
  addEventListener('pageshow', tellPlace);

  let marked: Element | undefined;
  const outline = document.createElement('div');
  outline.setAttribute('aria-hidden', 'true');
  outline.style.cssText =
    'position:fixed;z-index:2147483647;pointer-events:none;box-sizing:border-box;border:2px solid Highlight;background:color-mix(in srgb,Highlight 15%,transparent);border-radius:2px';

  const mark = (element: Element | null | undefined) => {
    if (!element || element === outline) return;
    marked = element;
    const { left, top, width, height } = element.getBoundingClientRect();
    Object.assign(outline.style, {
      left: `${left}px`,
      top: `${top}px`,
      width: `${width}px`,
      height: `${height}px`,
    });
    document.documentElement.append(outline);
  };
  const selectorOf = (element: Element): string => {
    const parts: string[] = [];
    for (let at: Element | null = element; at && parts.length < 8; at = at.parentElement) {
      if (at.id !== '') {
        parts.unshift(`#${CSS.escape(at.id)}`);
        break;
      }
      const { tagName, parentElement } = at;
      const same = [...(parentElement?.children ?? [])].filter((other) => other.tagName === tagName);
      const nth = same.length > 1 ? `:nth-of-type(${same.indexOf(at) + 1})` : '';
      parts.unshift(tagName.toLowerCase() + nth);
    }
    return parts.join(' > ');
  };
  const stop = (picked?: Element) => {
    for (const type of PRESSES) removeEventListener(type, swallow, true);
    removeEventListener('pointermove', onMove, true);
    removeEventListener('click', onClick, true);
    removeEventListener('keydown', onKey, true);
    outline.remove();
    marked = undefined;
    if (!picked) {
      post({ type: 'picked' });
      return;
    }
    const { width, height } = picked.getBoundingClientRect();
    post({
      type: 'picked',
      element: {
        selector: cut(selectorOf(picked), 500),
        text: cut((picked.textContent ?? '').replaceAll(/\s+/g, ' ').trim(), 300),
        html: cut(picked.outerHTML, MAX_HTML),
        size: `${Math.round(width)} × ${Math.round(height)}`,
        path: location.pathname + location.search + location.hash,
      },
    });
  };
  const PRESSES = ['pointerdown', 'pointerup', 'mousedown', 'mouseup', 'dblclick', 'contextmenu'] as const;
  const swallow = (event: Event) => {
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  const onMove = ({ clientX, clientY }: PointerEvent) => mark(document.elementFromPoint(clientX, clientY));
  const onClick = (event: MouseEvent) => {
    swallow(event);
    stop(document.elementFromPoint(event.clientX, event.clientY) ?? marked);
  };
  const onKey = (event: KeyboardEvent) => {
    const next = {
      ArrowUp: marked?.parentElement,
      ArrowDown: marked?.firstElementChild,
      ArrowLeft: marked?.previousElementSibling,
      ArrowRight: marked?.nextElementSibling,
    }[event.key];
    swallow(event);
    if (event.key === 'Enter') stop(marked);
    else if (event.key === 'Escape') stop();
    else mark(next);
  };
  const start = () => {
    for (const type of PRESSES) addEventListener(type, swallow, true);
    addEventListener('pointermove', onMove, true);
    addEventListener('click', onClick, true);
    addEventListener('keydown', onKey, true);
    focus();
    mark(document.body.firstElementChild ?? document.body);
  };

  addEventListener('message', (event) => {
    if (event.source !== parent || event.origin !== deck || deck === '') return;
    if (event.data?.tugdeckPreview === 'pick') start();
    else if (event.data?.tugdeckPreview === 'cancel' && marked) stop();
  });
}

export {};
