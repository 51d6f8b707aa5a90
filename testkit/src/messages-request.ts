// Parses a Messages API request for the scripts: its kind, the last marker that the user wrote, and the progress
// of the turn. Pure and tolerant: agents wrap user texts in reminders and add their own messages, which must not
// affect the result.

export interface ApiMessage {
  readonly role: string;
  readonly content: unknown;
}

export interface MessagesRequest {
  readonly model: string;
  readonly messages: readonly ApiMessage[];
  readonly system?: unknown;
  readonly tools?: readonly { readonly name?: string }[];
  readonly stream?: boolean;
  readonly output_config?: { readonly format?: unknown };
  readonly [key: string]: unknown;
}

export type CallKind = 'answer' | 'title' | 'compaction' | 'suggestion' | 'probe' | 'count';

export interface Prompt {
  readonly keyword: string | undefined;
  readonly userText: string;
  readonly step: number;
  /** The index of the prompt in `messages`; distinguishes two turns with the same keyword. */
  readonly index: number;
}

export function parseRequest(body: string): MessagesRequest | undefined {
  try {
    const value: unknown = JSON.parse(body);
    if (typeof value !== 'object' || value === null || !('messages' in value)) return undefined;
    return Array.isArray(value.messages) ? (value as unknown as MessagesRequest) : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  const texts: string[] = [];
  for (const block of content as { type?: unknown; text?: unknown }[]) {
    if (block.type === 'text' && typeof block.text === 'string') texts.push(block.text);
  }
  return texts.join('\n');
}

function withoutReminders(content: unknown): string {
  return textOf(content)
    .replace(/<system-reminder>[\s\S]*?<\/system-reminder>/g, '')
    .trim();
}

function hasToolResult(content: unknown): boolean {
  return Array.isArray(content) && content.some((block: { type?: unknown }) => block.type === 'tool_result');
}

// User messages that the CLI adds by itself; the turn still belongs to the prompt before them.
const injected =
  /^(<task-notification|<local-command|<command-name|Caveat:|\[Request interrupted|Continue from where|.*Resume directly)/;

export function findPrompt(messages: readonly ApiMessage[]): Prompt {
  let step = 0;
  for (let index = messages.length - 1; index >= 0; index -= 1) {
    const message = messages[index];
    if (message?.role === 'assistant') step += 1;
    if (message?.role !== 'user') continue;
    const userText = withoutReminders(message.content);
    const keyword = [...userText.matchAll(/SCN:([\w-]+)/g)].at(-1)?.[1];
    // Texts beside a tool result ("Tool loaded.") are the CLI's own, unless they have a marker.
    const isInjected = userText === '' || injected.test(userText) || hasToolResult(message.content);
    if (keyword === undefined && isInjected) continue;
    return { keyword, userText, step, index };
  }
  return { keyword: undefined, userText: '', step, index: -1 };
}

export function classify(request: MessagesRequest): CallKind {
  const lastUser = request.messages.findLast((message) => message.role === 'user');
  const last = textOf(lastUser?.content);
  if (last.includes('Your task is to create a detailed summary')) return 'compaction';
  if (last.includes('[SUGGESTION MODE')) return 'suggestion';
  if ((request.tools ?? []).length > 0) return 'answer';
  return request.stream === undefined ? 'probe' : 'title';
}

/** Searches system and message texts for the first match of a pattern with one group. */
function findStated(request: MessagesRequest, pattern: RegExp): string | undefined {
  const sources = [...request.messages.map((message) => message.content), request.system];
  for (const source of sources) {
    const found = pattern.exec(textOf(source))?.[1];
    if (found !== undefined) return found.trim();
  }
  return undefined;
}

export const statedDirectory = (request: MessagesRequest): string | undefined =>
  findStated(request, /[Ww]orking directory: *(\/[^\n]*)/);

export const statedPlanFile = (request: MessagesRequest): string | undefined =>
  findStated(request, /(\/\S+\/plans\/[\w-]+\.md)/);
