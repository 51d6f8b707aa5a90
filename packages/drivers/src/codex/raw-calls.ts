/**
 * Model calls that leave no item: a command that a policy or the sandbox blocks, a patch that does not apply, an
 * unknown tool, a script. Raw events report them; each gets an entry here.
 */
import { type Fields, recordOf, textAt } from '../kit/fields.ts';
import { inputFields } from '../kit/input-fields.ts';
import type { Scope } from '../kit/scope.ts';
import { outputOf, readJson, wordsOf } from './history-lines.ts';
import { firstLine } from './history-tools.ts';
import type { Items } from './items.ts';

const CALLS = new Set(['function_call', 'custom_tool_call', 'local_shell_call', 'tool_search_call']);
const OUTPUTS = new Set(['function_call_output', 'custom_tool_call_output', 'tool_search_output']);
/** Shown in another form: todo list, question, input to a command with an entry, goal. */
const SHOWN_ELSEWHERE = new Set([
  'update_plan',
  'request_user_input',
  'write_stdin',
  'update_goal',
  'request_permissions',
]);

const FAILED = /^(?:unsupported call|Script failed|[^\n]*\bfailed\b)/;

interface Call {
  readonly item: Fields;
  output: Fields | undefined;
}

export class RawCalls {
  readonly #scope: Scope;
  readonly #items: Items;
  readonly #calls = new Map<string, Call>();

  constructor(scope: Scope, items: Items) {
    this.#scope = scope;
    this.#items = items;
  }

  take(item: Fields): void {
    const type = textAt(item, 'type') ?? '';
    const id = textAt(item, 'call_id') ?? textAt(item, 'id');
    if (id === undefined) return;
    if (CALLS.has(type) && !SHOWN_ELSEWHERE.has(textAt(item, 'name') ?? '')) {
      this.#calls.set(id, { item, output: undefined });
    } else if (OUTPUTS.has(type)) {
      const call = this.#calls.get(id);
      if (call) call.output = item;
    }
  }

  /** The model continues or the turn ended: calls that have output but no item will not get one. */
  flush(isEnd: boolean): void {
    for (const [id, call] of this.#calls) {
      if (!call.output && !isEnd) continue;
      this.#calls.delete(id);
      if (call.output && !this.#items.has(id)) this.#show(call.item, call.output);
    }
  }

  #show(item: Fields, output: Fields): void {
    const name = textAt(item, 'name') ?? textAt(item, 'type') ?? 'tool';
    const input = item.action ?? readJson(item.arguments) ?? item.arguments ?? item.input ?? {};
    const fields = recordOf(input);
    const command = textAt(fields, 'cmd') ?? textAt(fields, 'command');
    const { text, exitCode } = outputOf(output);
    const shownOutput = text || wordsOf(output.output);
    // A command that never ran has no exit code; a script reports failure in its first line.
    const isBad = command === undefined ? FAILED.test(shownOutput) : exitCode !== 0;
    this.#scope.open({
      id: this.#scope.out.id('call'),
      kind: 'tool',
      status: isBad ? 'failed' : 'complete',
      name,
      title: firstLine(command ?? (typeof input === 'string' ? `${name}: ${input}` : name)),
      toolKind: command === undefined ? (name === 'apply_patch' ? 'edit' : 'other') : 'shell',
      state: isBad ? 'failed' : 'done',
      input,
      fields:
        typeof input === 'string'
          ? [{ label: 'Input', value: input, form: 'code' }]
          : inputFields(fields, (key, value) =>
              key === 'cmd' && typeof value === 'string'
                ? { label: 'Command', value, form: 'code' }
                : undefined,
            ),
      result:
        command === undefined
          ? { type: 'text', text: shownOutput }
          : {
              type: 'terminal',
              stdout: shownOutput,
              stderr: '',
              ...(exitCode === undefined ? {} : { exitCode }),
            },
    });
  }
}
