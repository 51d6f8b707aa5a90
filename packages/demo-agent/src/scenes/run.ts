/** `run COMMAND`: runs a real command in the project, after asking, and streams its output. */
import { spawn } from 'node:child_process';
import { Cancelled, type Turn } from '../turn.ts';
import { text } from './edit.ts';

export async function run(turn: Turn, command: string): Promise<void> {
  if (command.trim() === '') {
    await turn.say('Which command? For example: `run ls -la`.');
    return;
  }
  const code = await execute(turn, command.trim());
  if (code === undefined) await turn.say('Okay, I didn’t run it.');
  else await turn.say(code === 0 ? 'The command finished.' : `The command failed with exit code ${code}.`);
}

/** Returns the exit code, or undefined if the user denied it. */
export async function execute(turn: Turn, command: string): Promise<number | undefined> {
  const { directory, capabilities } = turn.options;
  const about = {
    kind: 'execute',
    title: command,
    name: 'run',
    rawInput: { command, cwd: directory },
  };
  const tool = turn.tool(about);
  if (!(await turn.requestPermission(tool, about))) {
    turn.patch(tool, { status: 'failed', content: [text('Denied by the user')] });
    return undefined;
  }
  const shown = capabilities.terminals
    ? { content: [{ type: 'terminal', terminalId: tool }], _meta: { terminal_info: { terminal_id: tool } } }
    : {};
  turn.patch(tool, { status: 'in_progress', ...shown });
  let output = '';
  const { code, signal } = await start(turn, command, (data) => {
    output += data;
    if (!capabilities.terminals || turn.options.signal.aborted) return;
    turn.patch(tool, { _meta: { terminal_output_delta: { terminal_id: tool, data } } });
  });
  const exit = { terminal_id: tool, exit_code: code, signal };
  turn.patch(tool, {
    status: code === 0 ? 'completed' : 'failed',
    rawOutput: { stdout: output, stderr: '', exit_code: code },
    ...(capabilities.terminals ? { _meta: { terminal_exit: exit } } : { content: [text(output)] }),
  });
  return code;
}

interface Ended {
  readonly code: number;
  readonly signal: string | null;
}

/** Starts the command in a process group that ends with the turn. */
function start(turn: Turn, command: string, onOutput: (data: string) => void): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const { directory, signal } = turn.options;
    const child = spawn('/bin/sh', ['-c', command], {
      cwd: directory,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    const stop = (): void => {
      if (child.pid !== undefined) endGroup(child.pid);
      reject(new Cancelled());
    };
    signal.addEventListener('abort', stop, { once: true });
    child.stdout.setEncoding('utf8').on('data', onOutput);
    child.stderr.setEncoding('utf8').on('data', onOutput);
    child.once('error', reject);
    child.once('close', (code, ended) => {
      signal.removeEventListener('abort', stop);
      resolve({ code: code ?? 1, signal: ended });
    });
  });
}

function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    // Already gone.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
