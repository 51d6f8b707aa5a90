/** Maps keys to composer actions (C9). Pure. */
export interface ComposerKey {
  readonly key: string;
  readonly isShift: boolean;
  readonly isAlt: boolean;
  readonly isCommand: boolean;
  /** An IME is composing a character. */
  readonly isComposing: boolean;
  readonly text: string;
  readonly hasSelection: boolean;
  readonly isRunning: boolean;
  /** The agent has several modes. */
  readonly hasModes: boolean;
  /** The text is an unchanged message of the history. */
  readonly isRecalled: boolean;
}

export type ComposerAction = 'send' | 'steer' | 'stop' | 'older' | 'newer' | 'mode';

export type CompletionAction = 'accept' | 'next' | 'previous' | 'close';

/**
 * Key actions while the completion list is open; they take precedence. Enter accepts the option, unless it is
 * already typed out: then the message is sent. Ctrl or Cmd+Enter always sends.
 */
export function completionAction(
  { key, isShift, isComposing }: Pick<ComposerKey, 'key' | 'isShift' | 'isComposing'>,
  { isTypedOut, isModified }: { readonly isTypedOut: boolean; readonly isModified: boolean },
): CompletionAction | undefined {
  if (isComposing || isModified) return undefined;
  if (key === 'ArrowDown') return 'next';
  if (key === 'ArrowUp') return 'previous';
  if (key === 'Escape') return 'close';
  if (isShift) return undefined;
  if (key === 'Tab' || (key === 'Enter' && !isTypedOut)) return 'accept';
  return undefined;
}

export function composerAction(pressed: ComposerKey): ComposerAction | undefined {
  const { key, isShift, isCommand, isComposing, text, isRunning, isRecalled } = pressed;
  if (isComposing) return undefined;
  if (key === 'Enter' && !isShift) return pressed.isAlt && isRunning ? 'steer' : 'send';
  if (key === 'Enter') return undefined;
  if (key === 'Tab' && isShift && pressed.hasModes) return 'mode';
  if (key === 'Escape' && isRunning) return 'stop';
  if (key.toLowerCase() === 'c' && isCommand && isRunning && !pressed.hasSelection) return 'stop';
  if (key === 'ArrowUp' && (text === '' || isRecalled)) return 'older';
  if (key === 'ArrowDown' && isRecalled) return 'newer';
  return undefined;
}

/** The next mode. Modes that allow everything can only be chosen in the menu (A14). */
export function nextMode(
  modes: readonly { readonly id: string; readonly dangerous?: boolean | undefined }[] | undefined,
  now: string | undefined,
): string | undefined {
  const safe = (modes ?? []).filter(({ dangerous }) => !dangerous);
  const next = safe[(safe.findIndex(({ id }) => id === now) + 1) % safe.length]?.id;
  return next === now ? undefined : next;
}
