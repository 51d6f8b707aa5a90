/**
 * Derives our id for an external session. It is always the same, so that links keep working and the adopting session
 * can use it.
 */
import { createHash } from 'node:crypto';

export function externalId(agent: string, session: string): string {
  const hex = createHash('sha256').update(`${agent}\0${session}`).digest('hex');
  // A custom UUID (version 8), in the format of session ids.
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
