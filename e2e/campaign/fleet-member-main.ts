/** A machine of a fleet as a program, for kills: `DATA SERVER`. SIGTERM ends it like a server that is stopped. */

import { FleetMachine } from '@tugdeck/fleet/fleet-machine';
import { serveLink } from '@tugdeck/link/serve-link';
import { dataDirectory } from '@tugdeck/local/data-directory';
import { FakeMachine, quietLog } from '@tugdeck/testkit/fake-machine';

const [root = '', server = ''] = process.argv.slice(2);
const machine = new FakeMachine();
const member = new FleetMachine({
  ...{ data: dataDirectory(root), server, machine, log: quietLog },
  serve: (stream) =>
    void serveLink(stream, stream, { machine, build: 'member', environment: {}, log: quietLog }),
});
process.once('SIGTERM', () => void member.close().then(() => process.exit()));
// Its connection alone does not keep it running while there is none.
setInterval(() => undefined, 60_000);
console.log('ready');
