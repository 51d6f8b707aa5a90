/**
 * The output of an agent in a long tool-heavy turn, as bytes of its stdout: deltas of text and tool input, complete
 * messages, results.
 */
const DELTAS = 120;
const TOOLS = 6;
const INPUT_DELTAS = 8;
const OUTPUT = Array.from({ length: 40 }, (_, line) => `src/part-${line}.ts: ok, 12 tests, 0 failures`).join(
  '\n',
);

export interface AgentLines {
  readonly bytes: Buffer;
  readonly lines: number;
}

export function agentLines(turns: number): AgentLines {
  const lines: object[] = [];
  let count = 0;
  const session_id = '00000000-0000-4000-8000-000000000000';
  const emit = (line: object) => {
    const uuid = `00000000-0000-4000-8000-${String(count++).padStart(12, '0')}`;
    lines.push({ ...line, session_id, parent_tool_use_id: null, uuid });
  };
  const event = (body: object) => emit({ type: 'stream_event', event: body });
  const message = (id: string, block: object, stop_reason: string | null) =>
    emit({
      type: 'assistant',
      message: { id, type: 'message', role: 'assistant', model: 'm', content: [block], stop_reason },
    });
  const begin = (id: string, block: object) => {
    event({
      type: 'message_start',
      message: { id, type: 'message', role: 'assistant', model: 'm', content: [] },
    });
    event({ type: 'content_block_start', index: 0, content_block: block });
  };
  const end = (stop_reason: string) => {
    event({ type: 'content_block_stop', index: 0 });
    event({
      type: 'message_delta',
      delta: { stop_reason, stop_sequence: null },
      usage: { output_tokens: 9 },
    });
    event({ type: 'message_stop' });
  };
  const tool = (id: string) => {
    const command = `npm test ${id}`;
    const block = { type: 'tool_use', id: `toolu_${id}`, name: 'Bash', input: {} };
    begin(id, block);
    const json = JSON.stringify({ command, description: 'Runs the tests of one part of the project' });
    const step = Math.ceil(json.length / INPUT_DELTAS);
    for (let at = 0; at < json.length; at += step) {
      const delta = { type: 'input_json_delta', partial_json: json.slice(at, at + step) };
      event({ type: 'content_block_delta', index: 0, delta });
    }
    message(id, { ...block, input: { command } }, null);
    end('tool_use');
    const content = [{ type: 'tool_result', tool_use_id: `toolu_${id}`, content: OUTPUT, is_error: false }];
    emit({
      type: 'user',
      message: { role: 'user', content },
      tool_use_result: { stdout: OUTPUT, stderr: '', interrupted: false },
    });
  };
  const text = (id: string) => {
    begin(id, { type: 'text', text: '' });
    let whole = '';
    for (let delta = 0; delta < DELTAS; delta++) {
      const word = `word${delta} `;
      whole += word;
      event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: word } });
    }
    message(id, { type: 'text', text: whole }, null);
    end('end_turn');
  };
  for (let turn = 0; turn < turns; turn++) {
    for (let call = 0; call < TOOLS; call++) tool(`msg_${turn}_${call}`);
    text(`msg_${turn}_text`);
    emit({
      type: 'result',
      subtype: 'success',
      is_error: false,
      duration_ms: 1,
      num_turns: 1,
      result: '',
      total_cost_usd: 0.1,
      usage: { input_tokens: 10, output_tokens: 10 },
    });
  }
  return {
    bytes: Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join('')),
    lines: lines.length,
  };
}
