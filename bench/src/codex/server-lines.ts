/** The output of `codex app-server` in a long tool-heavy turn, as bytes of its stdout: deltas, commands with output, the end. */
const DELTAS = 120;
const TOOLS = 6;
const OUTPUT_DELTAS = 8;
const OUTPUT = Array.from({ length: 40 }, (_, line) => `src/part-${line}.ts: ok, 12 tests, 0 failures`).join(
  '\n',
);

export function serverLines(turns: number): { readonly bytes: Buffer; readonly lines: number } {
  const lines: object[] = [];
  const threadId = '01a1e251-02b4-70c2-b280-8495edff200d';
  const emit = (method: string, params: object) =>
    lines.push({ method, params: { threadId, ...params }, emittedAtMs: 1_794_798_322_348 });
  for (let turn = 0; turn < turns; turn++) {
    const turnId = `turn-${turn}`;
    const item = (when: 'started' | 'completed', body: object) =>
      emit(`item/${when}`, { turnId, item: body });
    emit('turn/started', { turn: { id: turnId, status: 'inProgress', items: [] } });
    for (let call = 0; call < TOOLS; call++) {
      const id = `call_${turn}_${call}`;
      const command = {
        type: 'commandExecution',
        id,
        command: `/bin/bash -lc 'npm test ${id}'`,
        cwd: '/project',
        commandActions: [{ type: 'unknown', command: `npm test ${id}` }],
      };
      item('started', { ...command, status: 'inProgress' });
      const step = Math.ceil(OUTPUT.length / OUTPUT_DELTAS);
      for (let at = 0; at < OUTPUT.length; at += step) {
        const delta = OUTPUT.slice(at, at + step);
        emit('item/commandExecution/outputDelta', { turnId, itemId: id, delta });
      }
      item('completed', { ...command, status: 'completed', aggregatedOutput: OUTPUT, exitCode: 0 });
      const total = { totalTokens: 120, inputTokens: 100 + turn, cachedInputTokens: 40, outputTokens: 20 };
      emit('thread/tokenUsage/updated', {
        turnId,
        tokenUsage: { total, last: total, modelContextWindow: 258_400 },
      });
    }
    const id = `msg_${turn}`;
    item('started', { type: 'agentMessage', id, text: '' });
    let text = '';
    for (let delta = 0; delta < DELTAS; delta++) {
      text += `word${delta} `;
      emit('item/agentMessage/delta', { turnId, itemId: id, delta: `word${delta} ` });
    }
    item('completed', { type: 'agentMessage', id, text });
    emit('turn/completed', { turn: { id: turnId, status: 'completed', items: [] } });
  }
  return {
    bytes: Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join('')),
    lines: lines.length,
  };
}
