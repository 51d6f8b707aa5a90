import { useState } from 'react';
import { allTags, tags } from '../../kit/tags.ts';
import { useReadable } from '../../kit/use-readable.ts';

/** The tags of all sessions, and the one that Home is filtered by, while a session has it. */
export function useTag() {
  const tagged = useReadable(tags);
  const [chosen, setTag] = useState<string>();
  const known = allTags(tagged);
  const tag = chosen !== undefined && known.includes(chosen) ? chosen : undefined;
  return { tagged, known, tag, setTag };
}
