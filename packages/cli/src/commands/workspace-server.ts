/** Requests of `tugdeck workspaces` to the running server. */
import { resolve } from 'node:path';
import { findServer, requestServer } from '@tugdeck/gateway/control/control-client';
import { cleanEnvironment } from '@tugdeck/machine/clean-environment';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import type { WorkspaceAnswer, WorkspaceRequest } from '@tugdeck/protocol/workspaces/workspace-request';
import type { Context } from './context.ts';

/** A checkout of a large repository and its setup can take long. */
const CREATE_MS = 30 * 60_000;

export async function callServer(context: Context, request: WorkspaceRequest): Promise<WorkspaceAnswer> {
  const { settings, environment, line, from } = context;
  const server = findServer(settings.data.ledger, settings.configuration.timings);
  if (!server) {
    throw new CodedError('HOST_UNAVAILABLE', 'No server is running.', 'Start one with: tugdeck --no-open');
  }
  const directory = resolve(from, line.values.dir ?? '.');
  const message = {
    type: 'workspaces',
    directory,
    environment: cleanEnvironment(environment),
    request,
  } as const;
  const answer = await requestServer(server, message, CREATE_MS);
  if (answer.type !== 'workspaces') throw new CodedError('INTERNAL_ERROR');
  return answer.answer;
}
