/** Fetches texts that are too long to be sent with their entry. */
import { apiFetch } from '../../kit/api.ts';

const known = new Map<string, Promise<string>>();

export function blobUrl(session: string, hash: string): string {
  return `/api/blob/${encodeURIComponent(session)}/${hash}`;
}

export function loadBlob(session: string, hash: string): Promise<string> {
  const url = blobUrl(session, hash);
  const before = known.get(url);
  if (before) return before;
  const loading = apiFetch(url).then((response) => {
    if (!response.ok) throw new Error(`Couldn’t load the rest (${response.status})`);
    return response.text();
  });
  known.set(url, loading);
  loading.catch(() => known.delete(url));
  return loading;
}
