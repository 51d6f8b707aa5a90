/** The query for a pull request or an issue (B91). The answer is untrusted: it passes a schema, and texts are cut. */
import type { ForgeItem } from '@tugdeck/protocol/workspaces/forge-item';
import { z } from 'zod';
import { mayWrite } from './pull-query.ts';

const COMMON = '__typename number title body url state author { login } authorAssociation';
const QUERY = `query TugdeckItem($owner: String!, $name: String!, $number: Int!) {
  repository(owner: $owner, name: $name) { issueOrPullRequest(number: $number) {
    ... on Issue { ${COMMON} }
    ... on PullRequest { ${COMMON} headRefName headRefOid baseRefName headRepository { nameWithOwner } }
  } }
}`;

const cut = (length: number) => z.string().transform((text) => text.slice(0, length));
const common = {
  number: z.number().int().positive(),
  title: cut(500),
  body: cut(20_000),
  url: z
    .string()
    .max(500)
    .regex(/^https:\/\//),
  state: z.string(),
  author: z.object({ login: cut(100) }).nullish(),
  authorAssociation: z.string(),
};
const itemSchema = z.discriminatedUnion('__typename', [
  z.object({ __typename: z.literal('Issue'), ...common }),
  z.object({
    __typename: z.literal('PullRequest'),
    ...common,
    headRefName: z.string().min(1).max(250),
    headRefOid: z.string().regex(/^[0-9a-f]{40,64}$/),
    baseRefName: z.string().min(1).max(250),
    headRepository: z.object({ nameWithOwner: cut(300) }).nullish(),
  }),
]);
const answerSchema = z.object({
  data: z.object({ repository: z.object({ issueOrPullRequest: itemSchema.nullable() }) }),
});

export interface FoundItem extends ForgeItem {
  /** The branch that a pull request goes to. */
  readonly base?: string;
}

export function itemQuery(repository: string, number: number): object {
  const at = repository.lastIndexOf('/');
  const variables = { owner: repository.slice(0, at), name: repository.slice(at + 1), number };
  return { query: QUERY, variables };
}

/** Undefined if the repository has none of this number. */
export function parseItem(text: string, repository: string): FoundItem | undefined {
  const found = answerSchema.parse(JSON.parse(text)).data.repository.issueOrPullRequest;
  if (!found) return undefined;
  const item = {
    ...{ number: found.number, title: found.title, body: found.body, url: found.url },
    author: found.author?.login ?? 'unknown',
    mayWrite: mayWrite(found.authorAssociation),
    isOpen: found.state === 'OPEN',
  };
  if (found.__typename === 'Issue') return { kind: 'issue', ...item };
  const owner = found.headRepository?.nameWithOwner.toLowerCase();
  return {
    kind: 'pull',
    ...item,
    head: {
      branch: found.headRefName,
      commit: found.headRefOid,
      isForeign: owner !== repository.toLowerCase(),
    },
    base: found.baseRefName,
  };
}
