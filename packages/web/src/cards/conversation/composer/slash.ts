/** What a message that begins with a slash means (A15). Pure. */
import type { Facts } from '@tugdeck/protocol/conversation/session-facts';

export type SlashMeaning =
  /** As it is, to the agent. */
  | { readonly kind: 'message' }
  | { readonly kind: 'surface'; readonly name: string; readonly surface: string; readonly words?: string }
  /** Nobody knows it: the model would get it as words. */
  | { readonly kind: 'unknown'; readonly name: string }
  /** The agent is about to tell its commands. */
  | { readonly kind: 'too-early'; readonly name: string };

const COMMAND = /^\/([A-Za-z_][\w:.-]*)(?=\s|$)/;
const MESSAGE: SlashMeaning = { kind: 'message' };

export function meaningOf(text: string, commands: Facts['commands'], isStarting = false): SlashMeaning {
  const name = COMMAND.exec(text.trim())?.[1];
  if (name === undefined) return MESSAGE;
  // Before the agent has told its commands nothing can be said of them.
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
