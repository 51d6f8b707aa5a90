import type { Client } from '@tugdeck/client/client';
import { faultText } from './deck-actions.ts';
import { showFault } from './undo.ts';

/** Asks the deck for something that is done with one click. Whether it was done; why not is told at the foot of the page. */
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
