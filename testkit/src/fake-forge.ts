/** A small GitHub on loopback over TLS, for the real `gh`; its certificate is made by openssl. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { serveGit } from './git-server.ts';
import { selfSigned } from './self-signed.ts';

/** As the query of `pull-query.ts` asks for it. */
export interface FakePull {
  readonly number: number;
  url: string;
  title: string;
  state: 'OPEN' | 'CLOSED' | 'MERGED';
  isDraft: boolean;
  reviewDecision: string | null;
  headRefName: string;
  headRefOid: string;
  baseRefName: string;
  body: string;
  mergeCommit: { oid: string } | null;
  headRepository: { nameWithOwner: string } | null;
  checks: object[];
  threads: object[];
}

export interface FakeIssue {
  readonly number: number;
  title: string;
  body: string;
  authorAssociation: string;
}

export interface FakeForge {
  readonly host: string;
  /** Variables with which `gh` is signed in to it. */
  readonly environment: Readonly<Record<string, string>>;
  readonly pulls: FakePull[];
  readonly issues: FakeIssue[];
  /** Checks of pull requests that are created. */
  readonly checks: object[];
  /** The password of its repositories. */
  readonly token: string;
  /** Our queries. */
  readonly queries: { query: string; variables: Record<string, unknown> }[];
  readonly tokens: Set<string>;
  /** Instead of answering. */
  fault: { status: number; message: string } | undefined;
  log: string;
  add(pull: Partial<FakePull>): FakePull;
  close(): Promise<void>;
}

const TOKEN = 'gho_test1234567890';

/** Why the tests can't run here; undefined if they can. */
export function missingTools(): string | undefined {
  for (const name of ['gh', 'openssl']) {
    try {
      execFileSync(name, [name === 'gh' ? '--version' : 'version'], { stdio: 'ignore' });
    } catch {
      return `${name} is not installed`;
    }
  }
  return undefined;
}

/** `repositories`: a folder of repositories to fetch from and push to, with the same account. */
export async function fakeForge(folder: string, repositories?: string): Promise<FakeForge> {
  mkdirSync(folder, { recursive: true });
  const { key, cert, file: certificate } = selfSigned(folder);
  const pulls: FakePull[] = [];
  const issues: FakeIssue[] = [];
  const checks: object[] = [];
  const queries: FakeForge['queries'] = [];
  const tokens = new Set<string>();
  const server = createServer({ key, cert }, (request, response) => {
    if (/^\/[^?]*\.git\//.test(request.url ?? '')) return git(request, response);
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const send = (body: unknown, status = 200) => {
        response.writeHead(status, {
          'content-type': 'application/json',
          'x-oauth-scopes': 'repo, read:org',
        });
        response.end(typeof body === 'string' ? body : JSON.stringify(body));
      };
      tokens.add(request.headers.authorization ?? '');
      if (forge.fault) return send({ message: forge.fault.message }, forge.fault.status);
      if (request.headers.authorization !== `token ${TOKEN}`)
        return send({ message: 'Bad credentials' }, 401);
      if (request.url?.endsWith('/logs')) return send(forge.log);
      if (request.url !== '/api/graphql') return send({ login: 'me' });
      const { query, variables = {} } = JSON.parse(Buffer.concat(chunks).toString()) as {
        query: string;
        variables?: Record<string, unknown>;
      };
      send(answer(query, variables));
    });
  });
  function git(request: IncomingMessage, response: ServerResponse): void {
    const [, sent = ''] = (request.headers.authorization ?? '').split(' ');
    const isSignedIn = Buffer.from(sent, 'base64').toString().endsWith(`:${TOKEN}`);
    if (isSignedIn && repositories !== undefined) serveGit(repositories, request, response);
    else response.writeHead(401, { 'www-authenticate': 'Basic realm="test"' }).end();
  }
  const repository = () => ({
    ...{ id: 'R1', name: 'shop', owner: { login: 'me', id: 'U1' }, hasIssuesEnabled: true, description: '' },
    ...{ hasWikiEnabled: true, viewerPermission: 'ADMIN', defaultBranchRef: { name: 'main' }, parent: null },
    ...{ mergeCommitAllowed: true, rebaseMergeAllowed: true, squashMergeAllowed: true, isPrivate: false },
  });
  const ours = ({ checks, threads, ...pull }: FakePull) => ({
    ...pull,
    commits: { nodes: [{ commit: { statusCheckRollup: { contexts: { nodes: checks } } } }] },
    reviewThreads: { nodes: threads },
  });
  function answer(query: string, variables: Record<string, unknown>): unknown {
    if (query.includes('TugdeckPulls')) {
      queries.push({ query, variables });
      const found = [...query.matchAll(/(p\d+): pullRequests?\((?:number|headRefName): \$(v\d+)/g)].map(
        ([, name = '', variable = '']) => {
          const value = variables[variable];
          return typeof value === 'number'
            ? [name, pulls.filter((pull) => pull.number === value).map(ours)[0] ?? null]
            : [name, { nodes: pulls.filter((pull) => pull.headRefName === value).map(ours) }];
        },
      );
      return { data: { repository: Object.fromEntries(found) } };
    }
    if (query.includes('TugdeckItem')) {
      queries.push({ query, variables });
      const { number } = variables;
      const found = pulls.find((pull) => pull.number === number);
      const issue = issues.find((one) => one.number === number);
      const common = { url: `https://${host}/me/shop/x/${number}`, author: { login: 'ada' }, state: 'OPEN' };
      const item = found
        ? { __typename: 'PullRequest', ...common, authorAssociation: 'MEMBER', ...ours(found) }
        : issue && { __typename: 'Issue', ...common, ...issue };
      return { data: { repository: { issueOrPullRequest: item ?? null } } };
    }
    if (query.includes('createPullRequest')) {
      const {
        title = '',
        body = '',
        baseRefName = '',
        headRefName = '',
        draft,
      } = variables.input as Record<string, string>;
      const pull = forge.add({
        checks: [...checks],
        ...{
          title,
          body,
          baseRefName,
          headRefName: headRefName.replace(/^.*:/, ''),
          isDraft: Boolean(draft),
        },
      });
      return { data: { createPullRequest: { pullRequest: { id: 'P', url: pull.url } } } };
    }
    if (query.includes('RepositoryNetwork'))
      return { data: { viewer: { login: 'me' }, repo_000: repository() } };
    if (/pullRequests\(/.test(query))
      return { data: { repository: { defaultBranchRef: { name: 'main' }, pullRequests: { nodes: [] } } } };
    if (/repository\(/.test(query)) return { data: { repository: repository() } };
    return { data: { viewer: { login: 'me' } } };
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const host = `localhost:${(server.address() as AddressInfo).port}`;
  const home = join(folder, 'gh');
  mkdirSync(home);
  writeFileSync(
    join(home, 'hosts.yml'),
    `"${host}":\n    user: me\n    oauth_token: ${TOKEN}\n    git_protocol: https\n`,
  );
  const forge: FakeForge = {
    ...{ host, pulls, issues, checks, token: TOKEN, queries, tokens, fault: undefined, log: '' },
    environment: { GH_CONFIG_DIR: home, SSL_CERT_FILE: certificate },
    add(pull) {
      const number = pulls.length + 1;
      const made: FakePull = {
        ...{
          number,
          url: `https://${host}/me/shop/pull/${number}`,
          title: 'Title',
          state: 'OPEN',
          isDraft: false,
        },
        ...{
          reviewDecision: null,
          headRefName: 'me/fix',
          headRefOid: 'a'.repeat(40),
          baseRefName: 'main',
          body: '',
        },
        ...{ mergeCommit: null, headRepository: { nameWithOwner: 'Me/Shop' }, checks: [], threads: [] },
        ...pull,
      };
      pulls.push(made);
      return made;
    },
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
  return forge;
}
