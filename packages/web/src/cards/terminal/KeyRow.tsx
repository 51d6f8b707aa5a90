/** The keys that a soft keyboard doesn't have, below a terminal on a touch screen (W16). The keyboard stays open. */
import type { ExtraKey } from '../../features/terminal/extra-keys.ts';
import type { OpenTerminal } from '../../features/terminal/rendered-terminals.ts';
import { useReadable } from '../../kit/use-readable.ts';

const KEYS: readonly (readonly [key: ExtraKey, label: string, name?: string])[] = [
  ['tab', 'Tab'],
  ['interrupt', '^C', 'Ctrl+C'],
  ['left', '←', 'Left'],
  ['down', '↓', 'Down'],
  ['up', '↑', 'Up'],
  ['right', '→', 'Right'],
];

export function KeyRow({ open: { screen } }: { open: OpenTerminal }) {
  const isCtrlHeld = useReadable(screen.isCtrlHeld);
  return (
    // The terminal keeps the focus: without it the keyboard would close.
    <div
      className="terminal-keys"
      role="toolbar"
      aria-label="Terminal keys"
      onMouseDown={(event) => event.preventDefault()}
    >
      <button type="button" onClick={() => screen.press('escape')}>
        Esc
      </button>
      <button
        type="button"
        aria-pressed={isCtrlHeld}
        onClick={() => {
          screen.isCtrlHeld.set(!isCtrlHeld);
          screen.terminal.focus();
        }}
      >
        Ctrl
      </button>
      {KEYS.map(([key, label, name]) => (
        <button key={key} type="button" aria-label={name} onClick={() => screen.press(key)}>
          {label}
        </button>
      ))}
    </div>
  );
}
