// Scripts name tools in one vocabulary (Bash, Write, Edit, Read, mcp__SERVER__TOOL). This translates it to that of
// each agent, so that one script works for all. Unknown names are passed through.
import { relative } from 'node:path';
import type { ToolInput } from '../script.ts';

export interface NativeCall {
  readonly name: string;
  readonly input: ToolInput;
  /** The tool takes this text instead of an object. */
  readonly free?: string;
  /** The tool's group, for agents with groups of tools. */
  readonly namespace?: string;
}

type Words = Readonly<Record<string, (input: ToolInput, cwd: string) => NativeCall>>;
type McpName = (server: string, tool: string) => Pick<NativeCall, 'name' | 'namespace'>;

function translate(words: Words, mcp: McpName, name: string, input: ToolInput, cwd: string): NativeCall {
  const [, server, tool] = /^mcp__(\w+?)__(\w+)$/.exec(name) ?? [];
  if (server !== undefined && tool !== undefined) return { ...mcp(server, tool), input };
  return words[name]?.(input, cwd) ?? { name, input };
}

const lines = (text: unknown, sign: string): string =>
  String(text)
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => `${sign}${line}\n`)
    .join('');

const patch = (body: string): NativeCall => ({
  name: 'apply_patch',
  input: {},
  free: `*** Begin Patch\n${body}*** End Patch\n`,
});

const codexWords: Words = {
  Bash: ({ command }) => ({
    name: 'exec_command',
    input: {
      cmd: command,
      // Longer than any command of a test; otherwise the call returns early while the command keeps running.
      yield_time_ms: 120_000,
      sandbox_permissions: 'require_escalated',
      justification: 'The test wants to be asked.',
    },
  }),
  Write: ({ file_path, content }, cwd) =>
    patch(`*** Add File: ${relative(cwd, String(file_path))}\n${lines(content, '+')}`),
  Edit: ({ file_path, old_string, new_string }, cwd) =>
    patch(
      `*** Update File: ${relative(cwd, String(file_path))}\n@@\n${lines(old_string, '-')}${lines(new_string, '+')}`,
    ),
  Read: ({ file_path }) => ({ name: 'exec_command', input: { cmd: `cat '${file_path}'` } }),
  Agent: ({ prompt }) => ({
    name: 'spawn_agent',
    namespace: 'multi_agent_v1',
    input: { message: prompt },
  }),
  AskUserQuestion: ({ questions }) => ({
    name: 'request_user_input',
    input: {
      questions: (questions as ToolInput[]).map(({ question, header, options }, index) => ({
        id: `question_${index + 1}`,
        question,
        header,
        options,
      })),
    },
  }),
};

const geminiWords: Words = {
  Bash: ({ command, description }) => ({ name: 'run_shell_command', input: { command, description } }),
  Write: (input) => ({ name: 'write_file', input }),
  Edit: (input) => ({ name: 'replace', input: { ...input, instruction: 'As the test says.' } }),
  Read: (input) => ({ name: 'read_file', input }),
};

const opencodeWords: Words = {
  Bash: ({ command, description }) => ({ name: 'bash', input: { command, description } }),
  Write: ({ file_path, content }) => ({ name: 'write', input: { filePath: file_path, content } }),
  Edit: ({ file_path, old_string, new_string }) => ({
    name: 'edit',
    input: { filePath: file_path, oldString: old_string, newString: new_string },
  }),
  Read: ({ file_path }) => ({ name: 'read', input: { filePath: file_path } }),
};

export const toCodex = (name: string, input: ToolInput, cwd: string): NativeCall =>
  translate(codexWords, (server, tool) => ({ name: tool, namespace: `mcp__${server}` }), name, input, cwd);
export const toGemini = (name: string, input: ToolInput, cwd: string): NativeCall =>
  translate(geminiWords, (server, tool) => ({ name: `mcp_${server}_${tool}` }), name, input, cwd);
export const toOpencode = (name: string, input: ToolInput, cwd: string): NativeCall =>
  translate(opencodeWords, (server, tool) => ({ name: `${server}_${tool}` }), name, input, cwd);
