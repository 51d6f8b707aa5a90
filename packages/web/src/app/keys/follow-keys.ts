/** The keys as the server's file has them, and as they were last while it has not spoken. */
import type { Client } from '@tugdeck/client/client';
import { type KeyChoices, keyChoicesSchema } from '@tugdeck/protocol/wire/key-choices';
import { kept } from '../kept.ts';
import { keymap, makeKeymap } from './keymap.ts';

export const keyChoices = kept<KeyChoices>('keys', (raw) => {
  const read = keyChoicesSchema.safeParse(raw ?? {});
  return read.success ? read.data : {};
});

export function followKeys(client: Client): () => void {
  const take = () => {
    const told = client.keys.get();
    if (told) keyChoices.set(told.keys);
    keymap.set(makeKeymap(keyChoices.get()));
  };
  take();
  return client.keys.subscribe(take);
}

/** Undefined brings the usual key back. */
export function chooseKey(client: Client, id: string, press: string | null | undefined): Promise<void> {
  const { [id]: _, ...others } = keyChoices.get();
  const keys = press === undefined ? others : { ...others, [id]: press };
  keyChoices.set(keys);
  keymap.set(makeKeymap(keys));
  return client.request({ type: 'keys.save', keys });
}
