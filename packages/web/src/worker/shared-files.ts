/**
 * What another app shares with the installed page (N51). It stays on the device: the worker stores it until the page,
 * which is then opened, makes it a draft. The server refuses such a request.
 */
export const SHARE_PATH = '/share';
/** Read and deleted by the page. */
export const SHARED = 'tugdeck-shared';

const MAX_TEXT = 64 * 1024;
const MAX_FILES = 10;
const MAX_BYTES = 32 * 1024 * 1024;

export async function takeShared(request: Request): Promise<Response> {
  const form = await request.formData();
  const text = ['title', 'text', 'url'].flatMap((name) => {
    const value = form.get(name);
    return typeof value === 'string' && value.trim() !== '' ? [value.trim()] : [];
  });
  const files = form.getAll('files').filter((value) => value instanceof File);
  await caches.delete(SHARED);
  const cache = await caches.open(SHARED);
  await cache.put('/shared/text', new Response([...new Set(text)].join('\n').slice(0, MAX_TEXT)));
  let left = MAX_BYTES;
  for (const [at, file] of files.slice(0, MAX_FILES).entries()) {
    left -= file.size;
    if (left < 0) break;
    const headers = { 'content-type': file.type, 'x-name': encodeURIComponent(file.name.slice(0, 200)) };
    await cache.put(`/shared/file-${at}`, new Response(file, { headers }));
  }
  return Response.redirect('/?shared', 303);
}
