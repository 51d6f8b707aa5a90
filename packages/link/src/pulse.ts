/** Keeps a link alive and detects a dead one, on both ends (N8). */
import type { Http2Session } from 'node:http2';
import type { ByteStream } from './byte-stream.ts';

/** Pings four times within `silentMs`; calls `dead` after that time without a byte. */
export function watchPulse(
  session: Http2Session,
  bytes: ByteStream,
  silentMs: number,
  dead: () => void,
): () => void {
  const periodMs = silentMs / 4;
  let checkedAt = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    // This process was stopped, or the machine slept: the other end gets another period to answer.
    const wasStopped = now - checkedAt > 2 * periodMs;
    checkedAt = now;
    if (now - bytes.receivedAt >= silentMs && !wasStopped) dead();
    else if (!session.destroyed && !session.closed) session.ping(() => undefined);
  }, periodMs);
  timer.unref();
  return () => clearInterval(timer);
}
