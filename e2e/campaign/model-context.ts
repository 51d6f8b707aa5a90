/** Parses what the model knows of a conversation from the agent's last request to it. Pure. */

/** In the order of the request. `id` is the agent's own name of a call, where the request has it. */
export type ContextItem =
  | { readonly kind: 'prompt' | 'text'; readonly text: string }
  | { readonly kind: 'call' | 'result'; readonly id: string; readonly text: string };

type Fields = Readonly<Record<string, unknown>>;

const listOf = (value: unknown): readonly Fields[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'object' && one !== null) : [];
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const joined = (content: unknown): string =>
  typeof content === 'string'
    ? content
    : listOf(content)
        .map(({ text }) => textOf(text))
        .join('');

/** A prompt of the campaign; agents also send other text as the user. */
const PROMPT = /SCN:[\w-]+ \S+/;
/** Added by the agent itself on resume. */
const INJECTED = /^No response requested\.$/;

function message(role: unknown, text: string): ContextItem[] {
  if (role === 'user') {
    const prompt = PROMPT.exec(text)?.[0];
    return prompt === undefined ? [] : [{ kind: 'prompt', text: prompt }];
  }
  return role !== 'assistant' || text === '' || INJECTED.test(text) ? [] : [{ kind: 'text', text }];
}

export function contextFromClaude(body: unknown): readonly ContextItem[] {
  const { messages } = body as { messages?: unknown };
  return listOf(messages).flatMap(({ role, content }): ContextItem[] => {
    const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : listOf(content);
    return blocks.flatMap((block): ContextItem[] => {
      if (block.type === 'text') return message(role, textOf(block.text).trim());
      if (block.type === 'tool_use')
        return [{ kind: 'call', id: textOf(block.id), text: JSON.stringify(block.input) }];
      if (block.type === 'tool_result')
        return [{ kind: 'result', id: textOf(block.tool_use_id), text: joined(block.content) }];
      return [];
    });
  });
}

export function contextFromCodex(body: unknown): readonly ContextItem[] {
  const { input } = body as { input?: unknown };
  return listOf(input).flatMap((item): ContextItem[] => {
    const id = textOf(item.call_id);
    switch (item.type) {
      case 'message':
        return message(item.role, joined(item.content).trim());
      case 'function_call':
        return [{ kind: 'call', id, text: textOf(item.arguments) }];
      case 'function_call_output':
        return [{ kind: 'result', id, text: joined(item.output) }];
      default:
        return [];
    }
  });
}
