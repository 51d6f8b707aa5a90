/**
 * How to open a session in its agent's own terminal interface (A41). Ends our host first; refused during a turn,
 * because agents do not lock their sessions.
 */
import { findAgent } from '@tugdeck/agents/catalog';
import type { TerminalLaunch } from '@tugdeck/protocol/terminal/terminal-link';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import { findCommand } from '../agents/agent-choices.ts';
import type { HostPool } from '../hosts/host-pool.ts';
import type { Sessions } from '../sessions/sessions.ts';
import { terminalEnvironment } from './shell-launch.ts';

export async function agentTerminalLaunch(
  session: string,
  sessions: Pick<Sessions, 'row' | 'launch'>,
  pool: Pick<HostPool, 'release'>,
): Promise<TerminalLaunch> {
  const { summary } = sessions.row(session);
  if (summary?.agentSession === undefined || summary.entries === 0) {
    throw new CodedError(
      'SESSION_NOT_FOUND',
      'The agent does not have this session yet. Send a message first.',
    );
  }
  const { agent, directory, environment, untrusted } = sessions.launch(session);
  const known = findAgent(agent.name);
  if (!known?.terminal) {
    throw new CodedError('AGENT_UNAVAILABLE', `${agent.label} has no terminal interface.`);
  }
  const { command, args, untrustedArgs, untrustedEnvironment } = known.terminal;
  if (untrusted && !untrustedArgs) throw new CodedError('PROJECT_UNTRUSTED');
  // A configured command also applies here if both are the same program.
  const file = command === known.command ? agent.command : findCommand(command, environment);
  if (file === undefined) {
    throw new CodedError('AGENT_UNAVAILABLE', `${command} was not found on the PATH.`);
  }
  if (summary.turn !== 'idle') throw new CodedError('SESSION_BUSY');
  await pool.release(session);
  const { agentSession } = summary;
  return {
    file,
    args: [...args, ...(untrusted ? (untrustedArgs ?? []) : [])].map((arg) =>
      arg.replace('{session}', agentSession),
    ),
    directory,
    environment: { ...terminalEnvironment(environment), ...(untrusted ? untrustedEnvironment : {}) },
  };
}
