/**
 * Session host program. Reads its configuration as one JSON document on stdin, reports its address or an error once
 * on descriptor 3, and outlives the process that started it.
 */
import { randomBytes } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { openRecording } from '@tugdeck/drivers/kit/recording';
import { driverFor } from '@tugdeck/drivers/known-drivers';
import { readRecord } from '@tugdeck/drivers/known-histories';
import { readBlob, storeText } from '@tugdeck/journal/blobs';
import { createSegmentCache } from '@tugdeck/journal/cache';
import { diskFiles } from '@tugdeck/journal/files';
import { changesSince, findEntry, readPage, readTodosBefore } from '@tugdeck/journal/reader';
import { sealRequest } from '@tugdeck/journal/seal';
import { spill } from '@tugdeck/journal/spill';
import { openJournal } from '@tugdeck/journal/writer';
import { dataDirectory, makePrivate } from '@tugdeck/local/data-directory';
import { type HostConfig, hostConfigSchema } from '@tugdeck/local/host-config';
import { openLedger } from '@tugdeck/local/ledger';
import { type Log, openLog } from '@tugdeck/local/log';
import { listenOwn } from '@tugdeck/local/own-socket';
import { MARK } from '@tugdeck/local/process-ending';
import { ownIdentity } from '@tugdeck/local/process-identity';
import { reportReady } from '@tugdeck/local/report-ready';
import { CodedError, isDiskFault, reportOf } from '@tugdeck/protocol/wire/errors';
import { HOST_LINK_VERSION } from '@tugdeck/protocol/wire/version';
import { TurnTrees } from '@tugdeck/trees/turn-trees';
import { agentProcess } from './agent-process.ts';
import { ClientConnection } from './client-connection.ts';
import { RestoreFiles, type RestoreStep } from './restore-files.ts';
import { SessionHost } from './session-host.ts';
import { trustedRoot, trustPorts } from './trust-ports.ts';

/** Maximum length of a line from the agent. */
const MAX_AGENT_LINE = 32 * 1024 * 1024;
/** Maximum size of the raw recording. */
const RAW_BYTES = 8 * 1024 * 1024;

/** How long a restore waits for another one in the same folder. */
const RESTORE_LOCK_MS = 30_000;

async function main(): Promise<void> {
  const config = hostConfigSchema.parse(JSON.parse(readFileSync(0, 'utf8')));
  const data = dataDirectory(config.dataDirectory);
  const log = openLog({
    file: join(data.logs, `host-${config.session}.log`),
    name: 'host',
    level: config.logLevel ?? 'info',
  });
  let host: SessionHost | undefined;
  const leaving = { isBegun: false };
  // A bug or a full disk ends this session's host, not the server; completed changes are in the journal.
  process.on('uncaughtException', (error) => {
    log.error('uncaught', { error });
    // While the host waits for disk space, more errors of the same kind are expected.
    if (leaving.isBegun || (host?.isWaitingForSpace && isDiskFault(error))) return;
    void endFor(error).finally(() => process.exit(1));
  });
  const endFor = async (error: unknown): Promise<void> => {
    // The server starts a new host if there is work left.
    if (await host?.waitForSpace(error)) return;
    leaving.isBegun = true;
    await host?.fail(error);
  };
  // The server that started us may be gone; a closed pipe must not end the host.
  process.on('SIGHUP', () => log.info('terminal hung up'));
  host = await serve(config, log, leaving);
}

/** `leaving`: once set, the process exits as soon as its agent has ended, whatever else fails. */
async function serve(config: HostConfig, log: Log, leaving: { isBegun: boolean }): Promise<SessionHost> {
  const data = dataDirectory(config.dataDirectory);
  const directory = data.session(config.session);
  makePrivate(directory.root);
  const ledger = openLedger(data.ledger);
  let lost: () => void = () => process.exit(1);
  let isLost = false;
  const { state, writer } = openJournal(directory, {
    now: Date.now,
    lock: {
      timings: config.timings,
      lost: () => {
        isLost = true;
        log.error('stopping: the lock of this session was taken or removed by another process');
        lost();
      },
    },
  });

  const agent = agentProcess({ session: config.session, ledger, timings: config.timings, log });
  const secret = randomBytes(24).toString('base64url');
  const socket = join(config.runtimeDirectory, `h-${config.session.slice(0, 13)}.sock`);
  const id = `host-${config.session}`;
  const predecessor = ledger.get(id);
  ledger.write({
    id,
    purpose: 'host',
    identity: ownIdentity(),
    session: config.session,
    socket,
    secret,
    mark: agent.mark,
    program: process.argv[1] ?? '',
    linkVersion: HOST_LINK_VERSION,
  });
  await agent.endLeftovers(predecessor);

  const segments = { load: createSegmentCache(diskFiles) };
  const recording = openRecording({
    file: directory.raw,
    maxBytes: RAW_BYTES,
    now: Date.now,
    failed: (error) => log.warn('the raw recording stopped', { error }),
  });
  process.on('exit', () => isLost || recording.flush());
  const server = createServer();
  const store = (text: string) => storeText(directory, text);
  const trees = new TurnTrees({
    home: data.trees,
    project: config.directory,
    session: config.session,
    file: directory.trees,
    now: Date.now,
    log,
  });
  const host = new SessionHost({
    state,
    store: {
      journal: writer,
      find: (entry) => findEntry(directory, entry, segments),
      spill: (body) => spill(sealRequest(body, store), store),
      page: (before, limit) => readPage(directory, before, limit, segments),
      changesSince: (v) => changesSince(directory, v, segments),
      todosBefore: (at) => readTodosBefore(directory, at, segments),
      load: ({ blob }) => readBlob(directory, blob)?.toString('utf8'),
    },
    driver: driverFor(config.agent.protocol),
    agent: config.agent.name,
    label: config.agent.label,
    launch: {
      command: config.agent.command,
      args: config.agent.args,
      directory: config.directory,
      environment: { ...config.environment, [MARK]: agent.mark },
      untrusted: config.untrusted,
      trustedRoot: trustedRoot(config),
      mode: config.mode,
      model: config.model,
      directories: config.directories,
      mcpServers: config.mcpServers,
      plugins: config.plugins,
      from: config.from,
      maxLine: MAX_AGENT_LINE,
    },
    ...trustPorts(config, log),
    readRecord: (agentSession, isEnough) =>
      readRecord(config, agentSession, (part) => isEnough(part.conversation), {
        // An ACP agent shows its subagents under other ids, so they could not be matched.
        withSubagents: config.agent.protocol !== 'acp',
      })?.conversation,
    process: agent,
    record: (direction, line) => isLost || recording.record(direction, line),
    now: Date.now,
    timings: config.timings,
    slots: config.slots,
    log,
    trees,
    restores: new RestoreFiles({
      trees,
      session: config.session,
      directory: directory.restores,
      fileOf: (id) => data.session(id).trees,
      directoryOf: (id) => data.session(id).restores,
      saves: directory.saves,
      now: Date.now,
      lockMs: RESTORE_LOCK_MS,
      onStep: killedAt(process.env.TUGDECK_TEST_STOP),
    }),
    onLeave: () => {
      if (leaving.isBegun) return;
      leaving.isBegun = true;
      void agent.end(undefined).finally(() => {
        rmSync(socket, { force: true });
        ledger.remove(id);
        process.exit(1);
      });
    },
    onEnd: () => {
      server.close();
      agent.dismissWatchdog();
      rmSync(socket, { force: true });
      ledger.remove(id);
      // Last, because it releases the lock: a successor must not lose its own socket and ledger record to us.
      writer.close();
      log.info('ended');
      process.exit(0);
    },
  });
  lost = () => {
    if (leaving.isBegun) return;
    leaving.isBegun = true;
    void leaveAsLost().finally(() => process.exit(1));
  };
  const leaveAsLost = async (): Promise<void> => {
    await host.fail(new CodedError('SESSION_LOCKED'));
    // The host may already have been shutting down, with its agent still running.
    await agent.end(undefined);
    // Last, because `stop` waits for it. A successor has its own record and listens on a socket of the same name.
    if (ledger.get(id)?.secret !== secret) return;
    rmSync(socket, { force: true });
    ledger.remove(id);
  };
  process.on('SIGTERM', () => void host.end());
  process.on('SIGINT', () => void host.end());

  server.on('connection', (client) => {
    const link = new ClientConnection(client, {
      session: config.session,
      secret,
      onRequest: (from, request) => host.handle(from, request),
      onClose: (from) => host.detach(from),
      version: () => host.state.v,
    });
    host.attach(link);
  });
  await listenOwn(server, socket);
  host.open();
  log.info('ready', { session: config.session, v: host.state.v });
  reportReady({ socket, secret });
  return host;
}

/** For tests: the host kills itself at a step of a restore. */
function killedAt(step: string | undefined): ((at: RestoreStep) => void) | undefined {
  if (step === undefined) return undefined;
  return (at) => {
    if (at === step) process.kill(process.pid, 'SIGKILL');
  };
}

main().catch((error: unknown) => {
  const { code, message } = reportOf(error);
  process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
  reportReady({ error: { code, message } });
  process.exit(1);
});
