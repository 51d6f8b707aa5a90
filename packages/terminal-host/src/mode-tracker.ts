/**
 * Tracks terminal modes that the serializer leaves out but a new page needs: cursor visibility and style, mouse
 * encoding, scroll region. Observes sequences without handling them.
 */
import { ScrollRegion } from '@tugdeck/protocol/terminal/scroll-region';
import type { Terminal } from '@xterm/headless';

type Params = readonly (number | number[])[];

const MOUSE_ENCODINGS = [1005, 1006, 1015, 1016];

export class ModeTracker {
  #isCursorHidden = false;
  #cursorStyle = 0;
  #mouseEncoding: number | undefined;
  readonly region: ScrollRegion;

  constructor(terminal: Terminal) {
    const { parser } = terminal;
    this.region = new ScrollRegion(terminal);
    const listen = (take: (params: Params) => void) => (params: Params) => {
      take(params);
      return false;
    };
    parser.registerCsiHandler(
      { prefix: '?', final: 'h' },
      listen((p) => this.#set(p, true)),
    );
    parser.registerCsiHandler(
      { prefix: '?', final: 'l' },
      listen((p) => this.#set(p, false)),
    );
    parser.registerCsiHandler(
      { intermediates: ' ', final: 'q' },
      listen(([style]) => {
        this.#cursorStyle = Number(style ?? 0);
      }),
    );
    parser.registerCsiHandler(
      { intermediates: '!', final: 'p' },
      listen(() => this.#reset()),
    );
    parser.registerEscHandler({ final: 'c' }, () => {
      this.#reset();
      this.#mouseEncoding = undefined;
      return false;
    });
  }

  /** The first line of the scroll region. */
  get top(): number {
    return this.region.rows?.[0] ?? 1;
  }

  /** Sequences to write after the screen; they do not move the cursor. */
  serialize(): string {
    const parts: string[] = [];
    if (this.region.rows) parts.push(`\u001b7\u001b[${this.region.rows.join(';')}r\u001b8`);
    if (this.#mouseEncoding !== undefined) parts.push(`\u001b[?${this.#mouseEncoding}h`);
    if (this.#cursorStyle !== 0) parts.push(`\u001b[${this.#cursorStyle} q`);
    if (this.#isCursorHidden) parts.push('\u001b[?25l');
    return parts.join('');
  }

  #set(params: Params, isOn: boolean): void {
    for (const param of params) {
      if (param === 25) this.#isCursorHidden = !isOn;
      else if (MOUSE_ENCODINGS.includes(Number(param)))
        this.#mouseEncoding = isOn ? Number(param) : undefined;
    }
  }

  #reset(): void {
    this.#isCursorHidden = false;
    this.#cursorStyle = 0;
  }
}
