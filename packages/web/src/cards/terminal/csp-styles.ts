/**
 * The terminal library writes its styles into `<style>` elements and `style` attributes, which our policy forbids
 * (X1). It is given a document whose elements do the same by ways that are allowed: sheets made by code, and the
 * properties of `style`. What arrives as HTML is not touched by any of this: its styles stay forbidden.
 */

const make = Document.prototype.createElement.bind(document);

/** Stands where a `<style>` would; its text becomes a sheet of the document for as long as it is in it. */
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

/** Cells are drawn with spans, made by the page's own document and styled by attribute. */
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

/** Some parts of it ask the page's own document, always while they are being made. */
export function withCspDocument<T>(run: () => T): T {
  const ours = (name: string, options?: ElementCreationOptions) =>
    name === 'style' ? styleHolder() : make(name, options);
  // An own property in front of the prototype's, for as long as it takes.
  Object.defineProperty(document, 'createElement', { value: ours, configurable: true, writable: true });
  try {
    return run();
  } finally {
    Reflect.deleteProperty(document, 'createElement');
  }
}
