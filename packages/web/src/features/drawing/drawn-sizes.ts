/** Sizes of diagrams drawn in this tab, to reserve their space after a reload. Stores only hashes and numbers. */
export interface DrawnSize {
  readonly width: number;
  readonly height: number;
}

const KEY = 'tugdeck.drawn-sizes';
const MAX_SIZES = 200;

let sizes: Map<string, DrawnSize> | undefined;

export function drawnSize(source: string): DrawnSize | undefined {
  return load().get(hash(source));
}

export function saveDrawnSize(source: string, { width, height }: DrawnSize): void {
  const all = load();
  const key = hash(source);
  const before = all.get(key);
  if (before?.width === width && before.height === height) return;
  all.delete(key);
  all.set(key, { width, height });
  for (const oldest of all.keys()) {
    if (all.size <= MAX_SIZES) break;
    all.delete(oldest);
  }
  try {
    sessionStorage.setItem(
      KEY,
      JSON.stringify([...all].map(([name, size]) => [name, size.width, size.height])),
    );
  } catch {
    // Storage is full or forbidden: no space is reserved.
    return;
  }
}

function load(): Map<string, DrawnSize> {
  if (sizes) return sizes;
  sizes = new Map();
  try {
    for (const [key, width, height] of JSON.parse(sessionStorage.getItem(KEY) ?? '[]')) {
      if (typeof key === 'string' && width > 0 && height > 0) sizes.set(key, { width, height });
    }
  } catch {
    sizes.clear();
  }
  return sizes;
}

/** FNV-1a. A collision causes a wrong height for a moment. */
function hash(text: string): string {
  let value = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
  return `${text.length}.${(value >>> 0).toString(36)}`;
}
