/** Lets a view prepare the place of a session before its first message is sent (B1). Called by the composer. */
import type { firstPromptSchema } from '@tugdeck/protocol/conversation/commands';
import type { z } from 'zod';

export type FirstPrompt = z.infer<typeof firstPromptSchema>;
/** Resolves when the message can be sent; undefined if nothing has to be prepared. */
type Prepare = (prompt: FirstPrompt) => Promise<void> | undefined;

const prepares = new Map<string, Prepare>();

/** For one session, while the view is mounted. */
export function provideFirstMessage(session: string, prepare: Prepare): () => void {
  prepares.set(session, prepare);
  return () => {
    if (prepares.get(session) === prepare) prepares.delete(session);
  };
}

export function prepareFirstMessage(session: string, prompt: FirstPrompt): Promise<void> | undefined {
  return prepares.get(session)?.(prompt);
}
