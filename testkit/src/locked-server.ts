/**
 * An MCP server over HTTP that wants a sign-in, with its authorization server, on loopback. Opening the sign-in
 * page signs in at once and redirects back. Written from the public protocols (MCP over HTTP, OAuth 2.1).
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface LockedServer {
  /** For a configuration: one server, `locked`, with one tool, `open`. */
  readonly servers: { readonly locked: { readonly type: 'http'; readonly url: string } };
  /** How often somebody opened the sign-in page. */
  readonly visits: number;
  close(): Promise<void>;
}

const TOKEN = 'locked-server-token';

export async function startLockedServer(): Promise<LockedServer> {
  let visits = 0;
  let base = '';
  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', base);
    const json = (status: number, value: object, headers = {}) =>
      response
        .writeHead(status, { 'content-type': 'application/json', ...headers })
        .end(JSON.stringify(value));
    if (pathname.startsWith('/.well-known/oauth-protected-resource'))
      return json(200, { resource: `${base}/mcp`, authorization_servers: [base] });
    if (pathname.startsWith('/.well-known/')) return json(200, metadata(base));
    if (pathname === '/register')
      return json(201, { ...JSON.parse(await bodyOf(request)), client_id: 'client' });
    if (pathname === '/token')
      return json(200, { access_token: TOKEN, token_type: 'Bearer', expires_in: 3600 });
    if (pathname === '/authorize') {
      visits++;
      const back = new URL(searchParams.get('redirect_uri') ?? base);
      back.searchParams.set('code', 'code');
      back.searchParams.set('state', searchParams.get('state') ?? '');
      return response.writeHead(302, { location: back.href }).end();
    }
    if (request.headers.authorization !== `Bearer ${TOKEN}`)
      return json(
        401,
        { error: 'unauthorized' },
        { 'www-authenticate': `Bearer resource_metadata="${base}/.well-known/oauth-protected-resource"` },
      );
    if (request.method !== 'POST') return response.writeHead(405).end();
    const { id, method, params } = JSON.parse(await bodyOf(request));
    if (id === undefined) return response.writeHead(202).end();
    return json(200, { jsonrpc: '2.0', id, ...answer(method, params) });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    servers: { locked: { type: 'http', url: `${base}/mcp` } },
    get visits() {
      return visits;
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function metadata(base: string): object {
  return {
    issuer: base,
    authorization_endpoint: `${base}/authorize`,
    token_endpoint: `${base}/token`,
    registration_endpoint: `${base}/register`,
    response_types_supported: ['code'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['none'],
  };
}

function answer(method: string, params: { protocolVersion?: string } = {}): object {
  switch (method) {
    case 'initialize':
      return {
        result: {
          protocolVersion: params.protocolVersion,
          capabilities: { tools: {} },
          serverInfo: { name: 'locked', version: '1.0.0' },
        },
      };
    case 'tools/list':
      return {
        result: {
          tools: [{ name: 'open', description: 'Opens it', inputSchema: { type: 'object', properties: {} } }],
        },
      };
    case 'ping':
      return { result: {} };
    default:
      return { error: { code: -32601, message: 'Method not found' } };
  }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
