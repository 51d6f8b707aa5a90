import type { Client } from '@tugdeck/client/client';
import { faultText } from './deck-actions.ts';
import { showFault } from './undo.ts';

/** Sends a request and returns whether it succeeded. A failure is shown in the note at the bottom of the page. */
export async function tryRequest(
  client: Client,
  request: Parameters<Client['request']>[0],
): Promise<boolean> {
  try {
    await client.request(request);
    return true;
  } catch (error) {
    showFault(faultText(error));
    return false;
  }
}
