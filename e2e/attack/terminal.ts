/** Attacks by escape sequences of a program in a terminal: typing for the user, reading the clipboard, misleading names. */
import { randomUUID } from 'node:crypto';
import { terminals } from '@tugdeck/protocol/areas/terminals';
import { waitFor } from '@tugdeck/testkit/process-facts';
import { headlessPage } from '../campaign/client.ts';
import { type Attack, alive, unless } from './attack.ts';
import type { World } from './world.ts';

interface Shell {
  /** Runs a line and returns its output. */
  run(line: string): Promise<string>;
  title(): Promise<string>;
}

async function withShell(world: World, use: (shell: Shell) => Promise<string[]>): Promise<string[]> {
  const page = await headlessPage(world.deck);
  try {
    const project = await waitFor(() => page.client.deck.get()?.projects[0]?.id, { what: 'the project' });
    const terminal = randomUUID();
    const list = page.client.openArea(terminals, { project });
    const area = page.client.openArea(terminals, { project, terminal });
    let output = '';
    area.onBytes((data) => {
      output += Buffer.from(data).toString('latin1');
      // Acknowledged like a page that has rendered them.
      void area.call('ack', { bytes: data.length }).catch(() => undefined);
    });
    const size = { cols: 200, rows: 50 };
    await list.call('create', { terminal, runs: { type: 'shell' }, size });
    await area.call('attach');
    const shell: Shell = {
      async run(line) {
        const end = randomUUID();
        const from = output.length;
        const typed = `${line}; echo ${end.slice(0, 8)}''${end.slice(8)}\r`;
        await waitFor(() => area.sendBytes(new TextEncoder().encode(typed)), { what: 'the terminal' });
        await waitFor(() => output.includes(end, from), { what: `the end of ${line}`, timeoutMs: 60_000 });
        return output.slice(from);
      },
      async title() {
        const { terminals: all } = await list.call('list');
        return all.find(({ id }) => id === terminal)?.title ?? '';
      },
    };
    await shell.run('true');
    const problems = await use(shell);
    await list.call('close', { terminal });
    return [...problems, ...(await alive(world))];
  } finally {
    page.close();
  }
}

/** The bytes that reach the program's stdin after it printed a sequence; must be empty. */
const typedBack = (sequence: string) =>
  `bash -c 'stty -echo -icanon min 0 time 10; printf "${sequence}"; IFS= read -r -t 1 -n 60 got; stty sane; printf "GOT[%s]" "$got" | tr -cd "[:print:]"; echo'`;

export const TERMINAL: readonly Attack[] = [
  {
    who: 'terminal',
    name: 'types for the user by querying its title, clipboard, settings and checksum',
    run: (world) =>
      withShell(world, async (shell) => {
        const problems: string[] = [];
        for (const [what, sequence] of [
          ['title', '\\033]0;touch owned\\007\\033[21t'],
          ['icon title', '\\033]1;touch owned\\007\\033[20t'],
          ['clipboard', '\\033]52;c;?\\007'],
          ['primary selection', '\\033]52;p;?\\033\\\\'],
          ['answerback', '\\005'],
          ['checksum', '\\033[1;1;1;1;10;10*y'],
        ] as const) {
          const printed = await shell.run(typedBack(sequence));
          problems.push(...unless(printed.includes('GOT[]'), `${what}: ${printed.slice(-120)}`));
        }
        return problems;
      }),
  },
  {
    who: 'terminal',
    name: 'sets an endless title, with escapes and reversed text',
    run: (world) =>
      withShell(world, async (shell) => {
        await shell.run(`printf '\\033]0;%s\\007' "$(head -c 300000 /dev/zero | tr '\\0' t)"`);
        const long = await shell.title();
        await shell.run(`printf '\\033]2;a\\033[31mb\\302\\233c\\007'`);
        const odd = await shell.title();
        return [
          ...unless(long.length <= 1_000, `a title of ${long.length} characters`),
          // biome-ignore lint/suspicious/noControlCharactersInRegex: the characters that must be absent.
          ...unless(!/[\u0000-\u001f\u007f-\u009f]/.test(odd), `a title with control characters: ${odd}`),
        ];
      }),
  },
  {
    who: 'terminal',
    name: 'prints endless sequences and huge sizes and repetitions',
    run: (world) =>
      withShell(world, async (shell) => {
        await shell.run(`printf '\\033]0;'; head -c 2000000 /dev/zero | tr '\\0' x; printf '\\007'`);
        await shell.run(`printf '\\033P'; head -c 2000000 /dev/zero | tr '\\0' q; printf '\\033\\\\'`);
        await shell.run(`printf 'a\\033[999999999b\\033[8;99999;99999t\\033[99999999L\\033[99999999@'`);
        await shell.run(`printf '\\033[%s1m' "$(head -c 100000 /dev/zero | tr '\\0' ';')"`);
        const after = await shell.run(`printf '\\033c'; echo still-$((40 + 2))`);
        return unless(after.includes('still-42'), 'the terminal no longer answers');
      }),
  },
];
