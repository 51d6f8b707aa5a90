/**
 * Protects against data in a new request that imitates one of our blob references (X2, C6): the page would show the
 * referenced text instead of what will run. Such data is stored as one JSON blob, inside of which references are not
 * resolved.
 */
import type { ChangeBody } from '@tugdeck/protocol/conversation/changes';
import { blobRefSchema } from '@tugdeck/protocol/conversation/long-text';
import type { Store } from './long-text.ts';

/** Call before `spill`, and only for data from an agent: our own references would be sealed too. */
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
    case 'form': {
      const { schema } = entry.request;
      const request = { ...entry.request, ...sealed(entry.request, store), ...sealed({ schema }, store) };
      return { ...change, entry: { ...entry, request } };
    }
    default:
      return change;
  }
}

interface Parts {
  readonly input?: unknown;
  readonly raw?: unknown;
  readonly schema?: unknown;
}

function sealed({ input, raw, schema }: Parts, store: Store): Parts {
  const seal = (value: unknown) =>
    holdsReference(value) ? { ...store(JSON.stringify(value)), form: 'json' } : value;
  return {
    ...(input === undefined ? {} : { input: seal(input) }),
    ...(raw === undefined ? {} : { raw: seal(raw) }),
    ...(schema === undefined ? {} : { schema: seal(schema) }),
  };
}

function holdsReference(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if ('blob' in value && blobRefSchema.safeParse(value).success) return true;
  return Object.values(value).some(holdsReference);
}
