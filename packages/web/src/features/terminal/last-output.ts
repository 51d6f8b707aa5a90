/**
 * The output of the last command if the shell marks commands (OSC 133), otherwise the screen. For sending it to an
 * agent.
 */
import type { IMarker, Terminal } from '@xterm/xterm';

/** Maximum length of a quote; the end is kept, because it says more than the beginning. */
const MAX_LENGTH = 32 * 1024;

export class LastOutput {
  readonly #terminal: Terminal;
  #start: IMarker | undefined;
  #end: IMarker | undefined;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
    terminal.parser.registerOscHandler(133, (data) => {
      const [what] = data.split(';');
      if (what === 'C') {
        this.#start = terminal.registerMarker(0);
        this.#end = undefined;
      } else if (what === 'D') this.#end = terminal.registerMarker(0);
      return true;
    });
  }

  /** The selection, otherwise the last command's output, otherwise the screen. */
  read(): string {
    const selected = this.#terminal.getSelection();
    if (selected !== '') return shorten(selected);
    const { active } = this.#terminal.buffer;
    if (active.type === 'normal' && this.#start && !this.#start.isDisposed) {
      const end = this.#end && !this.#end.isDisposed ? this.#end.line : active.baseY + active.cursorY + 1;
      return shorten(this.#lines(this.#start.line, end));
    }
    return shorten(this.#lines(active.baseY, active.baseY + this.#terminal.rows));
  }

  #lines(from: number, to: number): string {
    const { active } = this.#terminal.buffer;
    let text = '';
    for (let at = from; at < to; at++) {
      const line = active.getLine(at);
      if (!line) break;
      const isWrapped = active.getLine(at + 1)?.isWrapped === true && at + 1 < to;
      text += line.translateToString(!isWrapped) + (isWrapped ? '' : '\n');
    }
    return text;
  }
}

function shorten(text: string): string {
  const whole = text.replace(/^\n+|\s+$/g, '');
  if (whole.length <= MAX_LENGTH) return whole;
  const rest = whole.slice(-MAX_LENGTH);
  return `…${rest.slice(rest.indexOf('\n'))}`;
}
