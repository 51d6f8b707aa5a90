// Commands in an untrusted project (X6), with and without a server.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type BuiltCli, buildCli, CliPlace } from './built-cli.ts';

let cli: BuiltCli;
let place: CliPlace;
beforeAll(async () => {
  cli = await buildCli();
});
afterAll(() => cli.remove());
beforeEach(() => {
  place = new CliPlace(cli);
});
afterEach(() => place.clear());

const refused = { code: 1, out: '', err: expect.stringContaining('PROJECT_UNTRUSTED') };
const server = (command: string) =>
  writeFileSync(join(place.project, '.mcp.json'), JSON.stringify({ mcpServers: { x: { command } } }));

describe.each(['without a server', 'with a server'])('%s', (how) => {
  beforeEach(async () => {
    if (how === 'with a server') await place.start();
  });

  test('X39 send is refused without trust, accepts --trust, and is refused again after a change', async () => {
    expect(await place.run(['send', '--new', 'hello'])).toMatchObject(refused);
    expect((await place.run(['sessions', 'list'])).out).toBe('No sessions.\n');
    expect(await place.run(['send', '--new', '--trust', 'hello'])).toMatchObject({ code: 0 });
    const sent = await place.run(['send', '--new', 'hello']);
    expect(sent).toMatchObject({ code: 0, err: '' });
    await place.run(['stop', '--all']);
    server('evil');
    expect(await place.run(['send', '--new', 'hello'])).toMatchObject(refused);
    const again = await place.run(['send', '--session', sent.out.trim(), 'hello']);
    expect(again).toMatchObject({ ...refused, err: expect.stringContaining('changed since you trusted it') });
    expect(await place.run(['send', '--session', sent.out.trim(), '--trust', 'hello'])).toMatchObject({
      code: 0,
    });
  });

  test('X36 an agent that excludes project configuration starts at once, and send reports what is missing', async () => {
    place.configure({ agents: { claude: { command: join(place.base, 'agent') } }, agent: 'claude' });
    await place.run(['stop']);
    server('evil');
    if (how === 'with a server') await place.start();
    const sent = await place.run(['send', '--new', 'hello']);
    expect(sent).toMatchObject({
      code: 0,
      err: expect.stringContaining('without its 1 MCP server. Use --trust'),
    });
    expect((await place.run(['send', '--new', '--trust', 'hello'])).err).toBe('');
  });
});

test('X39 talk ends with PROJECT_UNTRUSTED, and works with --trust', async () => {
  const talk = async (...words: string[]) => {
    const child = place.spawn(['talk', ...words]);
    let out = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      out += chunk.toString();
    });
    child.stdin?.end(`${JSON.stringify({ type: 'protocol_init', version: 1 })}\n`);
    const code = await new Promise((resolve) => child.once('close', resolve));
    return { code, out };
  };
  expect(await talk()).toEqual({ code: 1, out: expect.stringContaining('PROJECT_UNTRUSTED') });
  expect(await talk('--raw')).toEqual({ code: 1, out: expect.stringContaining('PROJECT_UNTRUSTED') });
  const trusted = await talk('--trust');
  expect(trusted).toEqual({ code: 0, out: expect.not.stringContaining('UNTRUSTED') });
});

test('X6 doctor runs agents outside of the current project', async () => {
  const command = join(place.base, 'asked');
  const seen = join(place.base, 'seen');
  writeFileSync(command, `#!/bin/sh\npwd >> ${seen}\necho 1.2.3\n`, { mode: 0o755 });
  place.configure({ agents: { opencode: { command } } });
  await place.run(['doctor']);
  expect(readFileSync(seen, 'utf8').trim()).toBe('/');
});

test('X39 tugdeck DIR does not trust the project, tugdeck --trust DIR does', async () => {
  mkdirSync(join(place.base, 'other'));
  await place.start();
  expect(await place.run(['send', '--new', 'hello'])).toMatchObject(refused);
  await place.run(['--trust', join(place.base, 'other')]);
  expect(await place.run(['send', '--new', '--dir', join(place.base, 'other'), 'hello'])).toMatchObject({
    code: 0,
  });
  expect(await place.run(['send', '--new', 'hello'])).toMatchObject(refused);
});
