/**
 * Attacks by a project's configuration for agents, before and after the user trusts it (X6). The agent is a custom one from
 * `config.json`, so that a list of known files can't be what stops it.
 */
import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type ProjectConfig, projectConfigSchema } from '@tugdeck/protocol/trust/project-config';
import { FEED } from '@tugdeck/protocol/wire/frames';
import { kill9, waitFor } from '@tugdeck/testkit/process-facts';
import { type Attack, unless, withVisitor } from './attack.ts';
import type { Visitor, World } from './world.ts';

const AGENT = 'hostile';

type Files = Readonly<Record<string, string | object>>;

const put = (folder: string, files: Files) => {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), typeof content === 'string' ? content : JSON.stringify(content));
  }
};

const fresh = (world: World, files: Files = {}): string => {
  const folder = mkdtempSync(join(world.deck.sandbox.root, 'project-'));
  put(folder, files);
  return folder;
};

async function add(visitor: Visitor, path: string): Promise<string> {
  await visitor.request({ type: 'project.add', path });
  const reply = await visitor.deckMessage(
    (message) => message.type === 'deck' && message.deck.projects.some((one) => one.path === path),
  );
  const projects = reply.type === 'deck' ? reply.deck.projects : [];
  return projects.find((one) => one.path === path)?.id ?? '';
}

async function question(world: World, project: string, agent = AGENT): Promise<ProjectConfig> {
  const { body } = await world.own(`/api/brought?project=${project}&agent=${agent}`);
  return projectConfigSchema.parse(JSON.parse(body));
}

/** Creates a session; returns the code of the refusal, or `started`. */
async function start(world: World, visitor: Visitor, project: string): Promise<string> {
  const session = randomUUID();
  const reply = await visitor.request({ type: 'session.create', session, project, agent: AGENT });
  const isThere = world.deck.records('host').some((record) => record.session === session);
  if (reply.type === 'error') return isThere ? 'refused, but started' : reply.code;
  return 'started';
}

const trust = (visitor: Visitor, project: string, seen: string) =>
  visitor.request({ type: 'project.trust', project, trust: 'yes', seen });

const server = (command: string) => ({ mcpServers: { x: { command } } });

/** Layouts that no list of known files contains, and an empty one. */
const LAYOUTS: Readonly<Record<string, (world: World) => string>> = {
  nothing: (world) => fresh(world),
  'a file that no list has': (world) => fresh(world, { '.brand-new-agent/config': 'run: evil' }),
  'an inner settings file': (world) => fresh(world, { '.opencode/opencode.json': { mcp: {} } }),
  'a tool': (world) => fresh(world, { '.opencode/tool/x.ts': 'evil()' }),
  'a link out of it': (world) => {
    const folder = fresh(world);
    symlinkSync(join(fresh(world, { 'evil.json': server('evil') }), 'evil.json'), join(folder, '.mcp.json'));
    return folder;
  },
  'a folder that is a link': (world) => {
    const folder = fresh(world);
    symlinkSync(fresh(world, { 'settings.json': server('evil') }), join(folder, '.claude'));
    return folder;
  },
  'a folder above it': (world) => {
    const folder = join(fresh(world, { '.mcp.json': server('evil'), '.git/HEAD': 'x' }), 'a/b');
    mkdirSync(folder, { recursive: true });
    return folder;
  },
};

export const PROJECT: readonly Attack[] = [
  {
    who: 'project',
    name: 'starts an agent without trust: by files of every kind, links, parent folders, none at all',
    run: (world) =>
      withVisitor(world, async (visitor) => {
        const problems: string[] = [];
        for (const [layout, make] of Object.entries(LAYOUTS)) {
          const project = await add(visitor, make(world));
          const outcome = await start(world, visitor, project);
          problems.push(...unless(outcome === 'PROJECT_UNTRUSTED', `${layout}: ${outcome}`));
        }
        return problems;
      }),
  },
  {
    who: 'project',
    name: 'hides a hook and a server behind thousands of harmless rules, and a command inside TOML',
    run: (world) =>
      withVisitor(world, async (visitor) => {
        const allow = Array.from({ length: 2_000 }, (_, index) => `Read(${index})`);
        const hooks = { Stop: [{ hooks: [{ command: 'evil-hook' }] }] };
        const folder = fresh(world, {
          '.claude/settings.json': { permissions: { allow }, hooks },
          '.codex/config.toml': '[mcp_servers.x]\ncommand = "evil-server"\n',
        });
        const { brought } = await question(world, await add(visitor, folder));
        const texts = brought.map(({ text }) => text);
        return [
          ...unless(texts[0]?.includes('evil-hook') === true, `the hook is not first: ${texts[0]}`),
          ...unless(texts[1]?.includes('evil-server') === true, `the server is not second: ${texts[1]}`),
          ...unless(texts.length === 2_002, `${texts.length} of 2002 are listed`),
        ];
      }),
  },
  {
    who: 'project',
    name: 'changes after the user trusted it, and while the question is open',
    run: (world) =>
      withVisitor(world, async (visitor) => {
        const folder = fresh(world, { '.mcp.json': server('fine') });
        const project = await add(visitor, folder);
        const shown = await question(world, project);
        put(folder, { '.mcp.json': server('evil') });
        const late = await trust(visitor, project, shown.hash);
        const problems = unless(late.type === 'error', 'a yes to something else was taken');
        put(folder, { '.mcp.json': server('fine') });
        await trust(visitor, project, shown.hash);
        const first = await start(world, visitor, project);
        problems.push(...unless(first === 'started', `not started after the yes: ${first}`));
        put(folder, { '.opencode/plugin/late.ts': 'evil()' });
        const second = await start(world, visitor, project);
        problems.push(...unless(second === 'PROJECT_UNTRUSTED', `a plugin was added: ${second}`));
        const { state, brought } = await question(world, project);
        const added = brought.filter(({ change }) => change === 'added').map(({ text }) => text);
        problems.push(...unless(state === 'changed' && added.join() === 'late.ts', `${state}: ${added}`));
        return problems;
      }),
  },
  {
    who: 'project',
    name: 'claims to be a worktree of a trusted repository',
    run: (world) =>
      withVisitor(world, async (visitor) => {
        const trusted = fresh(world, { '.git/HEAD': 'x', '.git/worktrees/w/HEAD': 'x' });
        put(trusted, {
          '.git/worktrees/w/commondir': '../..\n',
          '.git/worktrees/w/gitdir': '/no/such/.git\n',
        });
        const project = await add(visitor, trusted);
        await trust(visitor, project, (await question(world, project)).hash);
        const claim = fresh(world, { '.git': `gitdir: ${trusted}/.git/worktrees/w\n` });
        const outcome = await start(world, visitor, await add(visitor, claim));
        return unless(outcome === 'PROJECT_UNTRUSTED', outcome);
      }),
  },
  {
    who: 'project',
    name: 'gets a hook from its agent, which then exits to be restarted',
    run: (world) =>
      withVisitor(world, async (visitor) => {
        const folder = fresh(world);
        const project = await add(visitor, folder);
        await trust(visitor, project, (await question(world, project)).hash);
        const session = randomUUID();
        const { deck } = world;
        await visitor.request({ type: 'session.create', session, project, agent: AGENT });
        await visitor.request({ type: 'channel.open', channel: 7, session });
        visitor.send(FEED.conversationIn, 7, { type: 'wake' });
        const of = (purpose: 'agent' | 'host') =>
          deck.records(purpose).find((record) => record.session === session)?.identity.pid;
        await waitFor(() => of('agent') !== undefined, { what: 'the agent of a trusted project' });
        const [agent, host] = [of('agent') ?? 0, of('host')];
        put(folder, { '.mcp.json': server('evil') });
        kill9(agent);
        let started: number | undefined;
        await waitFor(
          () => {
            const now = of('agent');
            if (now !== undefined && now !== agent) started = now;
            return started !== undefined || of('host') !== host;
          },
          { what: 'the end of its host, or another agent' },
        );
        return unless(started === undefined, 'the agent was started again with the hook');
      }),
  },
];
