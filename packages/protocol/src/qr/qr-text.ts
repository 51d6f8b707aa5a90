/**
 * A QR code for a terminal: two modules per character, with the quiet zone. Dark modules are drawn as dark, whatever the
 * terminal's colors, because many scanners read no inverted codes.
 */
import type { QrCode } from './qr-code.ts';

const QUIET = 4;
const BLACK_ON_WHITE = '\x1b[38;5;16m\x1b[48;5;231m';
const RESET = '\x1b[0m';

/** `isPlain`: without colors, for a terminal with a dark background. */
export function qrText(code: QrCode, { isPlain = false } = {}): string {
  const dark = (x: number, y: number) => code[y]?.[x] === true;
  const lines: string[] = [];
  for (let y = -QUIET; y < code.length + QUIET; y += 2) {
    let line = '';
    for (let x = -QUIET; x < code.length + QUIET; x++) {
      const [upper, lower] = [dark(x, y) !== isPlain, dark(x, y + 1) !== isPlain];
      line += upper ? (lower ? '█' : '▀') : lower ? '▄' : ' ';
    }
    lines.push(isPlain ? line : `${BLACK_ON_WHITE}${line}${RESET}`);
  }
  return lines.join('\n');
}

/** The dark modules as the path of an SVG whose sides are `size` modules, with the quiet zone. */
export function qrPath(code: QrCode): { readonly size: number; readonly path: string } {
  const path = code
    .flatMap((row, y) => row.map((is, x) => (is ? `M${x + QUIET} ${y + QUIET}h1v1h-1z` : '')))
    .join('');
  return { size: code.length + 2 * QUIET, path };
}
