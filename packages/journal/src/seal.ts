/**
 * Foreign data in a new request that looks like one of our references to a blob (X2, C6): the page would show the text
 * that it names in the place of what will run. It becomes one blob of JSON, inside of which nothing is looked up.
 */
import type { ChangeBody } from '@tugdeck/protocol/conversation/changes';
import { blobRefSchema } from '@tugdeck/protocol/conversation/entries';
import type { Store } from './long-text.ts';

/** Before `spill`, and only for what comes from an agent: a reference of our own would be sealed too. */
export function sealRequest(change: ChangeBody, store: Store): ChangeBody {
  if (change.kind !== 'entry.opened') return change;
  const { entry } = change;
  switch (entry.kind) {
    case 'permission': {
      const { input, raw } = entry.request;
      const request = { ...entry.request, ...sealed({ input }, store), ...sealed({ raw }, store) };
      return { ...change, entry: { ...entry, request } };
    }
    case 'plan':
      return {
        ...change,
        entry: { ...entry, request: { ...entry.request, ...sealed(entry.request, store) } },
      };
    case 'question':
      return {
        ...change,
        entry: { ...entry, request: { ...entry.request, ...sealed(entry.request, store) } },
      };
    default:
      return change;
  }
}

function sealed<P extends { readonly input?: unknown; readonly raw?: unknown }>(part: P, store: Store) {
  const seal = (value: unknown) =>
    holdsReference(value) ? { ...store(JSON.stringify(value)), form: 'json' } : value;
  return {
    ...(part.input === undefined ? {} : { input: seal(part.input) }),
    ...(part.raw === undefined ? {} : { raw: seal(part.raw) }),
  };
}

function holdsReference(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if ('blob' in value && blobRefSchema.safeParse(value).success) return true;
  return Object.values(value).some(holdsReference);
}
