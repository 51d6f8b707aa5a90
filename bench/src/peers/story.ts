/** The same conversation in the file format of each product: 5,000 entries, tool-heavy. */
import { randomUUID } from 'node:crypto';

/** A prompt, three commands with their output, an answer. */
export interface Turn {
  readonly prompt: string;
  readonly commands: readonly { readonly command: string; readonly output: string }[];
  readonly answer: string;
}

/** Occurs only in the last answer. */
export const LAST_WORDS = 'The very last words of it';
const COMMANDS = 3;
export const ENTRIES_PER_TURN = COMMANDS + 2;

export function createStory(entries: number): Turn[] {
  const count = Math.ceil(entries / ENTRIES_PER_TURN);
  return Array.from({ length: count }, (_, index) => ({
    prompt: `Look at part ${index} and say what it does.`,
    commands: Array.from({ length: COMMANDS }, (_, at) => ({
      command: `sed -n ${at * 40 + 1},${at * 40 + 40}p src/part-${index}.ts`,
      output: Array.from(
        { length: 20 },
        (_, line) => `  const value${line} = read(${index}, ${at}, ${line});`,
      ).join('\n'),
    })),
    answer:
      `Part **${index}** reads ${COMMANDS * 20} values.\n\n- it has no \`await\`\n- nothing in it fails\n\n` +
      `\`\`\`ts\nexport const part${index} = () => read(${index});\n\`\`\`\n\n` +
      (index === count - 1 ? `${LAST_WORDS}.` : 'That is all there is to it.'),
  }));
}

const START = Date.UTC(2026, 0, 5, 8);
/** Milliseconds between two entries. */
const STEP = 2_000;

/** In the format of Claude Code. */
export function claudeTranscript(story: readonly Turn[], session: string, cwd: string): string {
  const lines: unknown[] = [];
  let parentUuid: string | null = null;
  const add = (type: 'user' | 'assistant', message: object, more: object = {}) => {
    const uuid = randomUUID();
    const timestamp = new Date(START + lines.length * STEP).toISOString();
    const common = {
      isSidechain: false,
      userType: 'external',
      cwd,
      sessionId: session,
      version: '2.1.325',
      gitBranch: '',
    };
    lines.push({ parentUuid, ...common, type, message, uuid, timestamp, ...more });
    parentUuid = uuid;
  };
  const emit = (content: object) =>
    add('assistant', {
      id: `msg_${randomUUID()}`,
      type: 'message',
      role: 'assistant',
      model: 'claude-sonnet-4-5',
      content: [content],
      stop_reason: null,
      stop_sequence: null,
      usage: { input_tokens: 10, output_tokens: 10 },
    });
  for (const { prompt, commands, answer } of story) {
    add('user', { role: 'user', content: prompt });
    for (const { command, output } of commands) {
      const id = `toolu_${randomUUID()}`;
      emit({ type: 'tool_use', id, name: 'Bash', input: { command } });
      const result = { type: 'tool_result', tool_use_id: id, content: output, is_error: false };
      add(
        'user',
        { role: 'user', content: [result] },
        { toolUseResult: { stdout: output, stderr: '', interrupted: false } },
      );
    }
    emit({ type: 'text', text: answer });
  }
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}

/** In the format of OpenCode's export and import. */
export function openCodeExport(
  story: readonly Turn[],
  info: { readonly id: string; readonly [key: string]: unknown },
  cwd: string,
) {
  const sessionID = info.id;
  const model = { providerID: 'opencode', modelID: 'big-pickle' };
  let count = 0;
  // Ids must sort in order of creation.
  const next = (kind: string) => `${kind}_${(count++).toString().padStart(26, '0')}`;
  const at = () => START + count * STEP;
  const messages = story.flatMap(({ prompt, commands, answer }) => {
    const promptId = next('msg');
    const text = (messageID: string, text: string) => ({
      type: 'text',
      text,
      id: next('prt'),
      sessionID,
      messageID,
    });
    const user = {
      info: { role: 'user', time: { created: at() }, agent: 'build', model, id: promptId, sessionID },
      parts: [text(promptId, prompt)],
    };
    const answered = next('msg');
    const time = { created: at(), completed: at() + STEP };
    const tools = commands.map(({ command, output }) => ({
      type: 'tool',
      id: next('prt'),
      sessionID,
      messageID: answered,
      callID: next('call'),
      tool: 'bash',
      state: {
        status: 'completed',
        input: { command, description: command },
        output,
        title: command,
        metadata: { output, exit: 0 },
        time: { start: at(), end: at() + STEP },
      },
    }));
    const assistant = {
      info: {
        role: 'assistant',
        time,
        parentID: promptId,
        ...model,
        mode: 'build',
        agent: 'build',
        path: { cwd, root: cwd },
        cost: 0,
        tokens: { input: 10, output: 10, reasoning: 0, cache: { read: 0, write: 0 } },
        finish: 'stop',
        id: answered,
        sessionID,
      },
      parts: [...tools, text(answered, answer)],
    };
    return [user, assistant];
  });
  return { info, messages };
}
