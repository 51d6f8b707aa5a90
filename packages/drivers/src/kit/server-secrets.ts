/**
 * Variables and headers of MCP servers are often keys, and the agent repeats them in its messages. This keeps them out
 * of the recording and of the samples of unrecognized messages. Pure.
 */
import type { AgentStart, DriverSink, Output } from './port.ts';

/** Shorter values are words that occur anywhere. */
const SHORTEST = 6;
const HIDDEN = '(hidden)';

export function hideSecrets(sink: DriverSink, { mcpServers }: Pick<AgentStart, 'mcpServers'>): DriverSink {
  const secrets = Object.values(mcpServers ?? {})
    .flatMap((server) => Object.values(('command' in server ? server.env : server.headers) ?? {}))
    .filter((secret) => secret.length >= SHORTEST)
    // As it is inside a JSON string.
    .map((secret) => JSON.stringify(secret).slice(1, -1));
  if (secrets.length === 0) return sink;
  const hide = (line: string) => secrets.reduce((text, secret) => text.replaceAll(secret, HIDDEN), line);
  const hideSample = (output: Output): Output =>
    output.kind === 'drift.counted' && output.sample !== undefined
      ? { ...output, sample: hide(output.sample) }
      : output;
  return {
    emit: (outputs) => sink.emit(outputs.map(hideSample)),
    record: (direction, line) => sink.record(direction, hide(line)),
    spawned: (pid) => sink.spawned(pid),
    ready: () => sink.ready(),
    exited: (exit) => sink.exited(exit),
  };
}
