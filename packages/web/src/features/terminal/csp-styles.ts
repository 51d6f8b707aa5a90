/**
 * The terminal library uses `<style>` elements and `style` attributes, which our CSP forbids (X1). This gives it a
 * document whose elements use allowed means instead: constructed style sheets and the `style` property. HTML that
 * arrives as text is not affected: its styles stay forbidden.
 */

const make = Document.prototype.createElement.bind(document);

/** Replaces a `<style>` element; its text becomes a style sheet of the document while it is attached. */
function styleHolder(): HTMLElement {
  const holder = make('span');
  holder.hidden = true;
  const sheet = new CSSStyleSheet();
  const adopt = (isOn: boolean) => {
    const others = document.adoptedStyleSheets.filter((one) => one !== sheet);
    document.adoptedStyleSheets = isOn ? [...others, sheet] : others;
  };
  Object.defineProperty(holder, 'textContent', {
    set(text: string) {
      sheet.replaceSync(text);
      adopt(true);
    },
  });
  holder.remove = () => {
    adopt(false);
    Element.prototype.remove.call(holder);
  };
  return holder;
}

function createElement(name: string): HTMLElement {
  return name === 'style' ? styleHolder() : make(name);
}

/** The library renders cells with spans created by the page's document and styled by attribute. */
export function allowStyledSpans(): void {
  HTMLSpanElement.prototype.setAttribute = function setAttribute(name: string, value: string): void {
    if (name === 'style') this.style.cssText = value;
    else Element.prototype.setAttribute.call(this, name, value);
  };
}

export const cspDocument: Document = new Proxy(document, {
  get(target, key) {
    if (key === 'createElement') return createElement;
    const value: unknown = Reflect.get(target, key, target);
    return typeof value === 'function' ? value.bind(target) : value;
  },
});

/** Some parts of the library use the global document while they are constructed. */
export function withCspDocument<T>(run: () => T): T {
  const ours = (name: string, options?: ElementCreationOptions) =>
    name === 'style' ? styleHolder() : make(name, options);
  // An own property shadows the prototype's during the call.
  Object.defineProperty(document, 'createElement', { value: ours, configurable: true, writable: true });
  try {
    return run();
  } finally {
    Reflect.deleteProperty(document, 'createElement');
  }
}
