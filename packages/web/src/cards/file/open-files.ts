/** The page's open files: one shared session per file, closed with its last user. */
import type { Client } from '@tugdeck/client/client';
import { useEffect, useState } from 'react';
import { FileSession } from './file-session.ts';

const open = new Map<string, { readonly session: FileSession; users: number }>();

function hold(client: Client, project: string, path: string): { session: FileSession; release: () => void } {
  const key = `${project}\n${path}`;
  const held = open.get(key) ?? { session: new FileSession(client, { project, path }), users: 0 };
  open.set(key, held);
  held.users += 1;
  return {
    session: held.session,
    release() {
      held.users -= 1;
      if (held.users > 0) return;
      open.delete(key);
      held.session.close();
    },
  };
}

export function useFileSession(client: Client, project: string, path: string): FileSession | undefined {
  const [session, setSession] = useState<FileSession>();
  useEffect(() => {
    const held = hold(client, project, path);
    setSession(held.session);
    return held.release;
  }, [client, project, path]);
  return session?.place.path === path && session.place.project === project ? session : undefined;
}
