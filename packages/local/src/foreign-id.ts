/** Our id of a foreign session: always the same, so that its address survives, and a session of ours can take it. */
import { createHash } from 'node:crypto';

export function foreignId(agent: string, session: string): string {
  const hex = createHash('sha256').update(`${agent}\0${session}`).digest('hex');
  // A UUID of the free form (version 8), which is what ids of sessions look like.
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
