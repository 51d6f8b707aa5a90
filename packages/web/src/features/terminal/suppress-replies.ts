/**
 * Suppresses the terminal library's replies to queries (cursor position, colors). The terminal host replies once;
 * otherwise a program would get one reply per open page.
 */
import type { Terminal } from '@xterm/xterm';

export function suppressReplies({ parser }: Terminal): void {
  const swallow = () => true;
  for (const final of ['c', 'n']) {
    parser.registerCsiHandler({ final }, swallow);
    parser.registerCsiHandler({ prefix: '?', final }, swallow);
    parser.registerCsiHandler({ prefix: '>', final }, swallow);
    parser.registerCsiHandler({ prefix: '=', final }, swallow);
  }
  parser.registerCsiHandler({ intermediates: '$', final: 'p' }, swallow);
  parser.registerCsiHandler({ prefix: '?', intermediates: '$', final: 'p' }, swallow);
  parser.registerCsiHandler({ prefix: '>', final: 'q' }, swallow);
  parser.registerDcsHandler({ intermediates: '$', final: 'q' }, swallow);
  parser.registerDcsHandler({ intermediates: '+', final: 'q' }, swallow);
  for (const color of [4, 10, 11, 12]) {
    parser.registerOscHandler(color, (data) => data.includes('?'));
  }
}
