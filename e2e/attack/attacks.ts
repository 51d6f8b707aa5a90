/** All attacks with the expected refusals, in the order they run: attacks that change the project come last. */
import { AGENT } from './agent.ts';
import type { Attack } from './attack.ts';
import { FLEET } from './fleet.ts';
import { MACHINE } from './machine.ts';
import { NETWORK } from './network.ts';
import { OTHER_USER } from './other-user.ts';
import { PAGE } from './page.ts';
import { PREVIEW } from './preview.ts';
import { PROJECT } from './project.ts';
import { REPOSITORY } from './repository.ts';
import { TERMINAL } from './terminal.ts';
import { TRANSCRIPT } from './transcript.ts';
import { WEB_PAGE } from './web-page.ts';

/** The door's attacks once more, on the origin behind a proxy (N50). */
const SECOND_ORIGIN = [...WEB_PAGE, ...NETWORK].map(
  (attack): Attack => ({
    ...attack,
    name: `${attack.name}, at the second origin`,
    run: async (world) => attack.run(await world.atSecondOrigin()),
  }),
);

export const ATTACKS: readonly Attack[] = [
  ...WEB_PAGE,
  ...NETWORK,
  ...SECOND_ORIGIN,
  ...PAGE,
  ...AGENT,
  ...TERMINAL,
  ...PREVIEW,
  ...MACHINE,
  ...FLEET,
  ...PROJECT,
  ...REPOSITORY,
  ...OTHER_USER,
  ...TRANSCRIPT,
];
