/**
 * One query for the pull requests of a repository (B55), and its answer. A pull request is read by its number; by branch
 * only while no number is known (B54). Answers of forges are untrusted: they pass a schema, and texts are cut.
 */
import type { PullCheck, PullState, PullThread } from '@tugdeck/protocol/workspaces/pull';
import { z } from 'zod';

/** By workspace: the number, or the branch to look for. */
export type Wanted = Readonly<Record<string, number | string>>;

const FIELDS = `number url title state isDraft reviewDecision headRefOid mergeCommit { oid }
  headRepository { nameWithOwner }
  commits(last: 1) { nodes { commit { statusCheckRollup { contexts(first: 100) { nodes {
    __typename
    ... on CheckRun { databaseId name status conclusion detailsUrl }
    ... on StatusContext { context state targetUrl }
  } } } } } }
  reviewThreads(first: 50) { nodes { id isResolved path line
    comments(first: 20) { nodes { author { login } authorAssociation body } }
  } }`;

export function pullQuery(
  repository: string,
  wanted: readonly (number | string)[],
): { query: string; variables: Record<string, string | number> } {
  const at = repository.lastIndexOf('/');
  const variables: Record<string, string | number> = {
    owner: repository.slice(0, at),
    name: repository.slice(at + 1),
  };
  const heads = ['$owner: String!', '$name: String!'];
  const parts = wanted.map((one, index) => {
    variables[`v${index}`] = one;
    if (typeof one === 'number') {
      heads.push(`$v${index}: Int!`);
      return `p${index}: pullRequest(number: $v${index}) { ${FIELDS} }`;
    }
    heads.push(`$v${index}: String!`);
    const order = 'orderBy: { field: CREATED_AT, direction: DESC }';
    return `p${index}: pullRequests(headRefName: $v${index}, first: 10, ${order}) { nodes { ${FIELDS} } }`;
  });
  const query = `query TugdeckPulls(${heads.join(', ')}) { repository(owner: $owner, name: $name) { ${parts.join(' ')} } }`;
  return { query, variables };
}

const cut = (length: number) => z.string().transform((text) => text.slice(0, length));
const list = <T extends z.ZodType>(of: T) => z.object({ nodes: z.array(of.nullable()) }).nullish();
const contextSchema = z.object({
  databaseId: z.number().nullish(),
  name: cut(200).nullish(),
  context: cut(200).nullish(),
  status: z.string().nullish(),
  conclusion: z.string().nullish(),
  state: z.string().nullish(),
  detailsUrl: cut(1000).nullish(),
  targetUrl: cut(1000).nullish(),
});
const threadSchema = z.object({
  id: cut(200),
  isResolved: z.boolean(),
  path: cut(1000),
  line: z.number().int().nonnegative().nullish(),
  comments: list(
    z.object({
      author: z.object({ login: cut(100) }).nullish(),
      authorAssociation: z.string(),
      body: cut(20_000),
    }),
  ),
});
const pullSchema = z.object({
  number: z.number().int().positive(),
  url: z
    .string()
    .max(500)
    .regex(/^https:\/\//),
  title: cut(500),
  state: z.enum(['OPEN', 'CLOSED', 'MERGED']),
  isDraft: z.boolean(),
  reviewDecision: z.string().nullish(),
  headRefOid: z.string().regex(/^[0-9a-f]{40,64}$/),
  mergeCommit: z.object({ oid: cut(64) }).nullish(),
  headRepository: z.object({ nameWithOwner: cut(300) }).nullish(),
  commits: list(
    z.object({
      commit: z.object({ statusCheckRollup: z.object({ contexts: list(contextSchema) }).nullish() }),
    }),
  ),
  reviewThreads: list(threadSchema),
});
export type ForgePull = z.infer<typeof pullSchema>;
const answerSchema = z.object({
  data: z.object({
    repository: z.record(
      z.string(),
      z.union([pullSchema, z.object({ nodes: z.array(pullSchema.nullable()) }), z.null()]),
    ),
  }),
});

/** The pull requests found for each of the wanted ones, in their order. */
export function parsePulls(text: string, length: number): ForgePull[][] {
  const { repository } = answerSchema.parse(JSON.parse(text)).data;
  return Array.from({ length }, (_, index) => {
    const found = repository[`p${index}`];
    if (!found) return [];
    return 'nodes' in found ? found.nodes.filter((one) => one !== null) : [found];
  });
}

const REVIEWS: Readonly<Record<string, PullState['review']>> = {
  APPROVED: 'approved',
  CHANGES_REQUESTED: 'changes',
  REVIEW_REQUIRED: 'required',
};
const STATES = { OPEN: 'open', CLOSED: 'closed', MERGED: 'merged' } as const;
/** Associations that include write access. */
const WRITERS = /^(?:OWNER|MEMBER|COLLABORATOR)$/;

/** By the author's association with the repository. */
export function mayWrite(association: string): boolean {
  return WRITERS.test(association);
}

export function pullState(pull: ForgePull, at: number): PullState {
  const review = REVIEWS[pull.reviewDecision ?? ''];
  const [last] = nodesOf(pull.commits);
  return {
    ...{ number: pull.number, url: pull.url, title: pull.title, isDraft: pull.isDraft, at },
    state: STATES[pull.state],
    ...(review === undefined ? {} : { review }),
    checks: nodesOf(last?.commit.statusCheckRollup?.contexts).map(checkOf),
    threads: nodesOf(pull.reviewThreads)
      .filter(({ isResolved }) => !isResolved)
      .map(threadOf),
    ...(pull.mergeCommit ? { merged: pull.mergeCommit.oid } : {}),
  };
}

function nodesOf<T>(list: { readonly nodes: readonly (T | null)[] } | null | undefined): T[] {
  return (list?.nodes ?? []).filter((one) => one !== null);
}

function checkOf(context: z.infer<typeof contextSchema>): PullCheck {
  const { databaseId, name, context: label, status, conclusion, state, detailsUrl, targetUrl } = context;
  const url = detailsUrl ?? targetUrl;
  const isRun = status !== null && status !== undefined;
  return {
    name: name ?? label ?? 'check',
    state: isRun && status !== 'COMPLETED' ? 'running' : outcomeOf(conclusion ?? state ?? ''),
    ...(url?.startsWith('https://') ? { url } : {}),
    ...(isRun && databaseId ? { job: databaseId } : {}),
  };
}

function outcomeOf(word: string): PullCheck['state'] {
  if (word === 'SUCCESS') return 'passed';
  if (word === 'NEUTRAL' || word === 'SKIPPED') return 'skipped';
  return word === 'PENDING' || word === 'EXPECTED' ? 'running' : 'failed';
}

function threadOf({ id, path, line, comments }: z.infer<typeof threadSchema>): PullThread {
  return {
    ...{ id, path },
    ...(line === null || line === undefined ? {} : { line }),
    comments: nodesOf(comments)
      .slice(0, 20)
      .map(({ author, authorAssociation, body }) => ({
        author: author?.login ?? 'unknown',
        text: body,
        mayWrite: mayWrite(authorAssociation),
      })),
  };
}
