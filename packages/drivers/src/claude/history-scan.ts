/**
 * Scans a session file for lists and search (A40, S5): titles, times and texts, line by line. Much cheaper than
 * folding it; entry ids are the same.
 */

import { listOf, recordOf, textAt } from '../kit/fields.ts';
import { type IndexedText, type LineScan, type ListInfo, timeOf } from '../kit/history.ts';
import { untrustedText } from '../kit/untrusted-text.ts';
import { type DiskLine, parseLine } from './history-thread.ts';
import { isInterruptMarker } from './line-texts.ts';
import { plainText } from './wire.ts';

interface Memory {
  readonly facts: ListInfo;
  /** The last model message and its number of blocks. */
  readonly message: string;
  readonly blocks: number;
}

const START: Memory = { facts: {}, message: '', blocks: 0 };
const PROMPT = 500;
/** Text that the program writes into user messages. */
const GENERATED = /^\s*<(local-command-|command-name>|command-message>|system-reminder>|bash-)/;
const COMMAND = /<command-name>\/?([^<]*)<\/command-name>/;

export function scanLines(memory?: unknown): LineScan {
  return new Scan((memory as Memory | undefined) ?? START);
}

class Scan implements LineScan {
  #info: ListInfo;
  #message: string;
  #blocks: number;

  constructor({ facts, message, blocks }: Memory) {
    this.#info = facts;
    this.#message = message;
    this.#blocks = blocks;
  }

  get facts(): ListInfo {
    return this.#info;
  }

  get memory(): Memory {
    return { facts: this.#info, message: this.#message, blocks: this.#blocks };
  }

  take(text: string): readonly IndexedText[] {
    const line = parseLine(text);
    if (!line) return [];
    switch (line.type) {
      case 'custom-title':
        this.#update({ title: textAt(line, 'customTitle') ?? textAt(line, 'title') });
        return [];
      case 'ai-title':
        if (this.#info.title === undefined) this.#update({ title: textAt(line, 'aiTitle') });
        return [];
      case 'summary':
        if (this.#info.title === undefined) this.#update({ title: textAt(line, 'summary') });
        return [];
      case 'user':
        return this.#user(line);
      case 'assistant':
        return this.#assistant(line);
      default:
        this.#time(line);
        return [];
    }
  }

  #user(line: DiskLine): readonly IndexedText[] {
    const at = this.#time(line);
    const content = recordOf(line.message).content;
    const results = listOf(content).filter((block) => textAt(block, 'type') === 'tool_result');
    if (results.length > 0) {
      return results.map((block) => ({
        entry: textAt(block, 'tool_use_id') ?? '',
        kind: 'tool',
        at,
        text: plainText(recordOf(block).content),
      }));
    }
    if (line.isSidechain === true || line.isMeta === true || line.isCompactSummary === true) return [];
    const written = plainText(content);
    const command = COMMAND.exec(written)?.[1]?.trim();
    if (isInterruptMarker(written) || (command === undefined && GENERATED.test(written))) return [];
    const words = command === undefined ? written : `/${command}`;
    if (this.#info.prompt === undefined && words.trim() !== '' && command === undefined) {
      this.#update({ prompt: words.slice(0, PROMPT) });
    }
    return [{ entry: untrustedText(line.uuid), kind: 'prompt', at, text: words }];
  }

  #assistant(line: DiskLine): readonly IndexedText[] {
    const at = this.#time(line);
    const id = textAt(line.message, 'id') ?? '';
    if (id !== this.#message) this.#blocks = 0;
    this.#message = id;
    return listOf(recordOf(line.message).content).flatMap((block): IndexedText[] => {
      const index = this.#blocks++;
      const type = textAt(block, 'type');
      if (type === 'text') {
        return [{ entry: `${id}:${index}`, kind: 'answer', at, text: textAt(block, 'text') ?? '' }];
      }
      if (type !== 'tool_use') return [];
      const input = recordOf(block).input;
      const words = [textAt(block, 'name') ?? '', ...wordsOf(input)].join('\n');
      return [{ entry: textAt(block, 'id') ?? '', kind: 'tool', at, text: words }];
    });
  }

  #time(line: DiskLine): number | undefined {
    const at = timeOf(line.timestamp);
    const directory = this.#info.directory ?? textAt(line, 'cwd');
    if (at !== undefined && at > (this.#info.activeAt ?? 0)) {
      const isMessage = line.type === 'user' || line.type === 'assistant';
      this.#update({
        createdAt: this.#info.createdAt ?? at,
        ...(isMessage ? { activeAt: at } : {}),
        ...(directory === undefined ? {} : { directory }),
      });
    }
    return at;
  }

  #update(facts: ListInfo): void {
    const stated = Object.entries(facts).filter(([, value]) => value !== undefined);
    this.#info = { ...this.#info, ...Object.fromEntries(stated) };
  }
}

/** All strings in a tool's input. */
function wordsOf(value: unknown, depth = 0): string[] {
  if (typeof value === 'string') return [value];
  if (depth > 4 || typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap((inner) => wordsOf(inner, depth + 1));
}
