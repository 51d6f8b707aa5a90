import type { Client } from '@tugdeck/client/client';
import { createContext, useContext } from 'react';

const ClientContext = createContext<Client | undefined>(undefined);

export const ClientProvider = ClientContext.Provider;

export function useClient(): Client {
  const client = useContext(ClientContext);
  if (!client) throw new Error('no client: render inside ClientProvider');
  return client;
}
