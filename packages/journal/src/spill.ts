/**
 * Moves long texts out of a change before it is folded and journaled (X2): wherever the model allows a blob instead
 * of a string, and the rest of a closed entry's text into `more`. Pure except for `store`. The text of an open entry
 * stays complete, because live appends continue it by offset.
 */
import type { ChangeBody } from '@tugdeck/protocol/conversation/changes';
import type { Attachment, EntryPatch, Field, NewEntry } from '@tugdeck/protocol/conversation/entries';
import type { LongText } from '@tugdeck/protocol/conversation/long-text';
import type { ToolResult } from '@tugdeck/protocol/conversation/tool-result';
import { isLong, type Store } from './long-text.ts';
import { spillData, spillDiff } from './spill-data.ts';

export function spill(change: ChangeBody, store: Store): ChangeBody {
  switch (change.kind) {
    case 'prompt.accepted':
    case 'prompt.queued':
      return { ...change, prompt: withAttachments(change.prompt, store) };
    case 'entry.opened':
      return { ...change, entry: spillEntry(change.entry, store) };
    case 'entry.patched':
      return { ...change, patch: spillPatch(change.patch, store) };
    case 'entry.closed':
      return change.patch
        ? { ...change, patch: withShortText(spillPatch(change.patch, store), store) }
        : change;
    default:
      return change;
  }
}

function spillEntry(entry: NewEntry, store: Store): NewEntry {
  const spilled = spillLongTexts(entry, store);
  return entry.status === 'partial' ? spilled : withShortText(spilled, store);
}

function spillLongTexts(entry: NewEntry, store: Store): NewEntry {
  switch (entry.kind) {
    case 'user':
      return withAttachments(entry, store);
    case 'tool':
      return { ...entry, ...(spillPatch(entry, store) as typeof entry) };
    case 'permission': {
      const { request } = entry;
      const source = request.source === undefined ? {} : { source: long(request.source, store) };
      return {
        ...entry,
        request: { ...request, ...spillInput(request, store), ...spillRaw(request, store), ...source },
      };
    }
    case 'plan':
      return { ...entry, request: { ...entry.request, ...spillRaw(entry.request, store) } };
    case 'question':
      return { ...entry, request: { ...entry.request, ...spillRaw(entry.request, store) } };
    case 'notice':
      return entry.detail === undefined ? entry : { ...entry, detail: long(entry.detail, store) };
    default:
      return entry;
  }
}

type Spilled = Pick<EntryPatch, 'fields' | 'input' | 'diff' | 'result' | 'error' | 'detail'>;

function spillPatch<P extends Spilled>(patch: P, store: Store): P {
  const { result, error, detail } = patch;
  return {
    ...patch,
    ...spillInput(patch, store),
    ...(result ? { result: spillResult(result, store) } : {}),
    ...(error === undefined ? {} : { error: long(error, store) }),
    ...(detail === undefined ? {} : { detail: long(detail, store) }),
  };
}

function spillInput({ fields, input, diff }: Pick<Spilled, 'fields' | 'input' | 'diff'>, store: Store) {
  return {
    ...(fields ? { fields: spillFields(fields, store) } : {}),
    ...(input === undefined ? {} : { input: spillData(input, store) }),
    ...(diff ? { diff: spillDiff(diff, store) } : {}),
  };
}

function spillRaw({ raw }: { readonly raw?: unknown }, store: Store): { raw?: unknown } {
  return raw === undefined ? {} : { raw: spillData(raw, store) };
}

function spillFields(fields: readonly Field[], store: Store): Field[] {
  return fields.map((field) => ({ ...field, value: long(field.value, store) }));
}

function spillResult(result: ToolResult, store: Store): ToolResult {
  switch (result.type) {
    case 'text':
    case 'file':
    case 'agent':
      return { ...result, text: long(result.text, store) };
    case 'terminal':
      return { ...result, stdout: long(result.stdout, store), stderr: long(result.stderr, store) };
    case 'image':
      return { ...result, data: long(result.data, store) };
    case 'matches':
      return result.text === undefined ? result : { ...result, text: long(result.text, store) };
    case 'json':
      return { ...result, value: spillData(result.value, store) };
  }
}

function withAttachments<P extends { attachments?: Attachment[] | undefined }>(prompt: P, store: Store): P {
  if (!prompt.attachments) return prompt;
  const attachments = prompt.attachments.map((one) => ({ ...one, data: long(one.data, store) }));
  return { ...prompt, attachments };
}

/** Keeps the beginning of a long `text`; the complete text is in `more`. */
function withShortText<P extends object>(value: P, store: Store): P {
  if (!('text' in value) || typeof value.text !== 'string' || !isLong(value.text)) return value;
  const more = store(value.text);
  return { ...value, text: more.head, more };
}

function long(text: LongText, store: Store): LongText {
  return typeof text === 'string' && isLong(text) ? store(text) : text;
}
