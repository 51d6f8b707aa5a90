// Turns the blocks of an answer into three events that every API has: a piece of text, a piece of thinking, a
// complete tool call. Used by dialects whose streams do not follow the blocks of the Messages API.
import type { Sink } from '../answer-parts.ts';
import type { ToolInput } from '../script.ts';

export interface BlockEvents {
  begin?(type: 'text' | 'thinking'): Promise<void>;
  text(piece: string): Promise<void>;
  thought(piece: string): Promise<void>;
  end?(type: 'text' | 'thinking'): Promise<void>;
  tool(id: string, name: string, input: ToolInput): Promise<void>;
}

export function blockSink(events: BlockEvents): Sink {
  let block: Record<string, unknown> = {};
  let json = '';
  const prose = (): 'text' | 'thinking' => (block.type === 'thinking' ? 'thinking' : 'text');
  return {
    async start(opened) {
      block = opened;
      json = '';
      if (block.type !== 'tool_use') await events.begin?.(prose());
    },
    async delta(delta) {
      if (delta.type === 'text_delta') await events.text(String(delta.text));
      else if (delta.type === 'thinking_delta') await events.thought(String(delta.thinking));
      else if (delta.type === 'input_json_delta') json += String(delta.partial_json);
    },
    async stop() {
      if (block.type !== 'tool_use') await events.end?.(prose());
      else await events.tool(String(block.id), String(block.name), JSON.parse(json) as ToolInput);
    },
  };
}
