/** What another user of the machine can try. */
import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Attack, unless } from './attack.ts';

export const OTHER_USER: readonly Attack[] = [
  {
    who: 'other user',
    name: 'looks into the data directory, the logs and the sockets',
    async run(world) {
      const problems: string[] = [];
      const walk = (path: string) => {
        const stat = lstatSync(path);
        if (stat.isSymbolicLink()) return;
        const open = stat.mode & 0o077;
        problems.push(
          ...unless(open === 0, `${path.split('/').slice(-2).join('/')} is open (${open.toString(8)})`),
        );
        if (stat.isDirectory()) for (const name of readdirSync(path)) walk(join(path, name));
      };
      const { data, runtime } = world.deck.sandbox;
      for (const name of readdirSync(data)) if (name !== 'config.json') walk(join(data, name));
      for (const name of readdirSync(runtime)) walk(join(runtime, name));
      return problems;
    },
  },
];
