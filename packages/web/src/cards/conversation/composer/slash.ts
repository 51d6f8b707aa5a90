/** Interprets a message that starts with a slash (A15). Pure. */
import type { SessionInfo } from '@tugdeck/protocol/conversation/session-info';

export type SlashMeaning =
  /** Sent to the agent unchanged. */
  | { readonly kind: 'message' }
  | { readonly kind: 'surface'; readonly name: string; readonly surface: string; readonly words?: string }
  /** Unknown: the model would receive it as text. */
  | { readonly kind: 'unknown'; readonly name: string }
  /** The agent has not reported its commands yet. */
  | { readonly kind: 'too-early'; readonly name: string };

const COMMAND = /^\/([A-Za-z_][\w:.-]*)(?=\s|$)/;
const MESSAGE: SlashMeaning = { kind: 'message' };

export function meaningOf(text: string, commands: SessionInfo['commands'], isStarting = false): SlashMeaning {
  const name = COMMAND.exec(text.trim())?.[1];
  if (name === undefined) return MESSAGE;
  // Until the agent reports its commands, none can be called unknown.
  if (commands === undefined || commands.length === 0)
    return isStarting ? { kind: 'too-early', name } : MESSAGE;
  const known = commands.find((command) => command.name === name);
  if (!known) return { kind: 'unknown', name };
  const { surface } = known;
  const words = text
    .trim()
    .slice(name.length + 1)
    .trim();
  if (surface === undefined || (words !== '' && !surface.startsWith('ask:'))) return MESSAGE;
  return { kind: 'surface', name, surface, ...(words === '' ? {} : { words }) };
}
