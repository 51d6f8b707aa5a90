/** Carries out a command that is already journaled. */
import type { Answer, Command } from '@tugdeck/protocol/conversation/commands';
import { isRequest, type RequestEntry } from '@tugdeck/protocol/conversation/entries';
import { type Conversation, entryById } from '@tugdeck/protocol/conversation/state';
import type { Runner } from './runner.ts';
import type { SessionLog } from './session-log.ts';

export interface ExecutePorts {
  readonly runner: Runner;
  readonly sessionLog: SessionLog;
  /** Called before the agent receives the answer. */
  readonly onAnswer?: ((request: RequestEntry, answer: Answer) => void) | undefined;
}

/** `before`: the state in which the command was decided. */
export function executeCommand(ports: ExecutePorts, command: Command, before: Conversation): void {
  const { runner, sessionLog } = ports;
  switch (command.kind) {
    case 'prompt.send':
    case 'prompt.resend':
      runner.startForPrompt();
      runner.deliver();
      return;
    case 'prompt.steer':
    case 'prompt.drop':
      runner.deliver();
      return;
    case 'agent.control':
      runner.control({ entry: command.id, what: command.what, input: command.input ?? {} });
      return;
    case 'turn.cancel':
      runner.cancel();
      return;
    case 'request.answer': {
      sessionLog.sync();
      const entry = entryById(before, command.entry);
      if (!entry || !isRequest(entry)) return;
      ports.onAnswer?.(entry, command.answer);
      runner.answer(entry, command.answer);
      return;
    }
    case 'session.configure':
      runner.configure(command.option, command.value);
      return;
    case 'agent.restart':
      void runner.restart();
      return;
    case 'agent.stop':
      void runner.stop();
      return;
    default:
      // Queue commands need nothing else; the restorer handles restores.
      return;
  }
}
