/** Serves the push area (N52): each browser sees and changes only its own subscription. */
import { push } from '@tugdeck/protocol/areas/push';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import { type ServedArea, serveArea } from '../areas/serve-area.ts';
import type { PushAccess } from '../push-access.ts';

export function servePush(access: PushAccess): ServedArea {
  return serveArea(push, (_about, out) => {
    const { signIn } = out;
    if (signIn === undefined)
      throw new CodedError('NOT_FOUND', 'Only a browser of this machine gets messages.');
    const report = () => {
      const device = access.device(signIn);
      out.state({ key: access.key, ...(device ? { device } : {}) });
    };
    report();
    return {
      calls: {
        save({ device }) {
          access.save(signIn, device);
          report();
        },
        remove() {
          access.remove(signIn);
          report();
        },
        test: () => access.test(signIn),
      },
    };
  });
}
