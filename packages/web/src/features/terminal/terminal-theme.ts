/** Terminal colors from the theme's tokens, resolved to values that the library and programs accept. */
import type { TerminalColors } from '@tugdeck/protocol/terminal/terminal';
import type { ITheme } from '@xterm/xterm';

const ANSI = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'] as const;

export interface TerminalTheme {
  readonly theme: ITheme;
  readonly colors: TerminalColors;
  readonly isHighContrast: boolean;
}

export function readTheme(host: HTMLElement): TerminalTheme {
  const probe = host.ownerDocument.createElement('span');
  host.append(probe);
  const canvas = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
  /** Converts any CSS color to a form that all accept. */
  const token = (name: string): string => {
    probe.style.color = `var(--${name})`;
    const written = getComputedStyle(probe).color;
    if (!canvas) return written;
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = written;
    canvas.fillRect(0, 0, 1, 1);
    const [red = 0, green = 0, blue = 0] = canvas.getImageData(0, 0, 1, 1).data;
    return `#${[red, green, blue].map((part) => part.toString(16).padStart(2, '0')).join('')}`;
  };
  const bright = (name: string) => `bright${name[0]?.toUpperCase()}${name.slice(1)}`;
  const theme: ITheme = {
    foreground: token('code-foreground'),
    background: token('code'),
    cursor: token('primary'),
    cursorAccent: token('code'),
    selectionBackground: token('bubble'),
    scrollbarSliderBackground: token('border'),
    scrollbarSliderHoverBackground: token('input'),
    scrollbarSliderActiveBackground: token('input'),
    ...Object.fromEntries(ANSI.map((name) => [name, token(`ansi-${name}`)])),
    ...Object.fromEntries(ANSI.map((name) => [bright(name), token(`ansi-bright-${name}`)])),
  };
  probe.remove();
  const plain = (color: string | undefined) => (color ?? '').replace('#', '');
  return {
    theme,
    colors: {
      foreground: plain(theme.foreground),
      background: plain(theme.background),
      cursor: plain(theme.cursor),
    },
    isHighContrast: host.ownerDocument.documentElement.dataset.contrast === 'high',
  };
}

/** Called when the theme may have changed. */
export function watchTheme(changed: () => void): () => void {
  const observer = new MutationObserver(changed);
  observer.observe(document.documentElement, { attributeFilter: ['data-scheme', 'data-contrast'] });
  const scheme = matchMedia('(prefers-color-scheme: dark)');
  scheme.addEventListener('change', changed);
  return () => {
    observer.disconnect();
    scheme.removeEventListener('change', changed);
  };
}
