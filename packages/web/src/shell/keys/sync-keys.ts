/** Shortcuts from the server's file; the last known ones until the server answers. */
import type { Client } from '@tugdeck/client/client';
import { type KeyChoices, keyChoicesSchema } from '@tugdeck/protocol/wire/key-choices';
import { keymap, makeKeymap } from '../../kit/keys/keymap.ts';
import { persisted } from '../../kit/persisted.ts';

export const keyChoices = persisted<KeyChoices>('keys', (raw) => {
  const read = keyChoicesSchema.safeParse(raw ?? {});
  return read.success ? read.data : {};
});

export function syncKeys(client: Client): () => void {
  const take = () => {
    const serverKeys = client.keys.get();
    if (serverKeys) keyChoices.set(serverKeys.keys);
    keymap.set(makeKeymap(keyChoices.get()));
  };
  take();
  return client.keys.subscribe(take);
}

/** Undefined restores the default key. */
export function setKey(client: Client, id: string, press: string | null | undefined): Promise<void> {
  const { [id]: _, ...others } = keyChoices.get();
  const keys = press === undefined ? others : { ...others, [id]: press };
  keyChoices.set(keys);
  keymap.set(makeKeymap(keys));
  return client.request({ type: 'keys.save', keys });
}
