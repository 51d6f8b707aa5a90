import type { Client } from '@tugdeck/client/client';
import { faultText } from './deck-actions.ts';
import { tellFault } from './undo.ts';

/** Asks the deck for something that is done with one click. Whether it was done; why not is told at the foot of the page. */
export async function askDeck(client: Client, request: Parameters<Client['request']>[0]): Promise<boolean> {
  try {
    await client.request(request);
    return true;
  } catch (error) {
    tellFault(faultText(error));
    return false;
  }
}
