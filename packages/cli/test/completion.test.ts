import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { COMMANDS, OPTIONS, parseCommandLine } from '../src/command-line.ts';
import { completion } from '../src/commands/completion.ts';
import { commandHelp } from '../src/commands/help.ts';
import { terminalText } from '../src/terminal-text.ts';

async function script(shell: string): Promise<string> {
  let printed = '';
  const line = parseCommandLine(['completion', shell]);
  const print = (text: string) => {
    printed += text;
  };
  await completion({ line, print } as unknown as Parameters<typeof completion>[0]);
  return printed;
}

/** The completions of a real bash for these words, the last of which is being typed. */
function offered(source: string, words: readonly string[]): string[] {
  const program = `
tugdeck() { printf '%s\\n' '12ab34cd  2026-01-01 10:00  demo  -  A title' 'There are more'; }
${source}
COMP_WORDS=(tugdeck "$@"); COMP_CWORD=$#; _tugdeck; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const out = execFileSync('bash', ['--norc', '-c', program, 'bash', ...words], {
    encoding: 'utf8',
    cwd: '/',
  });
  return out.split('\n').filter((word) => word !== '');
}

test('L25 bash completes commands, verbs, options, their values and session ids', async () => {
  const bash = await script('bash');
  expect(offered(bash, ['se'])).toEqual(['sessions', 'send', 'serve', 'service']);
  expect(offered(bash, ['sessions', ''])).toEqual(['list', 'show', 'search', 'export']);
  expect(offered(bash, ['sessions', 'show', ''])).toEqual(['12ab34cd']);
  expect(offered(bash, ['send', '--session', '12'])).toEqual(['12ab34cd']);
  expect(offered(bash, ['send', '--agent', 'de'])).toEqual(['demo']);
  expect(offered(bash, ['--data-dir', '/us'])).toEqual(['/usr']);
  expect(offered(bash, ['stop', '--a'])).toEqual(['--all']);
  // The value of an option is not a command.
  expect(offered(bash, ['--log-level', 'stop', '--po'])).toEqual(['--port']);
});

test.each(['bash', 'zsh', 'fish'])('L25 the %s script has every command and option', async (shell) => {
  const text = await script(shell);
  for (const name of Object.keys(COMMANDS)) if (name !== 'start') expect(text).toContain(name);
  for (const { name } of OPTIONS) expect(text).toContain(shell === 'fish' ? `-l ${name}` : `--${name}`);
});

test('L25 an unknown shell is refused with a message', async () => {
  await expect(script('tcsh')).rejects.toThrowError('bash, zsh or fish');
});

test('L3 the help of one command has only its own options', () => {
  const text = commandHelp('stop');
  expect(text).toContain('tugdeck stop [--all]');
  expect(text).toContain('--all');
  expect(text).not.toContain('--port');
});

test('L26 output from an agent cannot control the terminal', () => {
  const text = 'a\u001b]0;title\u0007b\u001b[2Jc\u001b[31mred\u001b[0m\u009b31m\u0008\td\r\ne';
  expect(terminalText(text)).toBe('abcred⟨U+009B⟩31m⟨U+0008⟩\td\ne');
});
