/** What a key does in the composer (C9). Pure. */
export interface ComposerKey {
  readonly key: string;
  readonly isShift: boolean;
  readonly isCommand: boolean;
  /** An input method is composing a character. */
  readonly isComposing: boolean;
  readonly text: string;
  readonly hasSelection: boolean;
  readonly isRunning: boolean;
  /** The text shown is one of the history, unchanged. */
  readonly isRecalled: boolean;
}

export type ComposerAction = 'send' | 'stop' | 'older' | 'newer';

export function composerAction(pressed: ComposerKey): ComposerAction | undefined {
  const { key, isShift, isCommand, isComposing, text, isRunning, isRecalled } = pressed;
  if (isComposing) return undefined;
  if (key === 'Enter') return isShift ? undefined : 'send';
  if (key === 'Escape' && isRunning) return 'stop';
  if (key.toLowerCase() === 'c' && isCommand && isRunning && !pressed.hasSelection) return 'stop';
  if (key === 'ArrowUp' && (text === '' || isRecalled)) return 'older';
  if (key === 'ArrowDown' && isRecalled) return 'newer';
  return undefined;
}
