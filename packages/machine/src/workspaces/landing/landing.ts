/** Lands workspaces (B41): previews a landing and starts it. The steps run as an operation of the workspace. */
import { randomUUID } from 'node:crypto';
import { CodedError } from '@tugdeck/protocol/wire/errors';
import type { LandChoice, LandPreview, LandRequest } from '@tugdeck/protocol/workspaces/landing';
import type { StoredWorkspace } from '@tugdeck/store/workspace-table';
import { save } from '../operation.ts';
import type { Operations, WorkspacesOptions } from '../operations.ts';
import { assertLandable, lookAtLanding } from './land-preview.ts';
import type { LandData } from './land-steps.ts';

export class Landing {
  readonly #options: WorkspacesOptions;
  readonly #operations: Operations;
  /** Throws if the workspace has an operation or can't be used. */
  readonly #idle: (id: string) => StoredWorkspace;

  constructor(options: WorkspacesOptions, operations: Operations, idle: (id: string) => StoredWorkspace) {
    this.#options = options;
    this.#operations = operations;
    this.#idle = idle;
  }

  async look(id: string, choice: LandChoice): Promise<LandPreview> {
    const row = this.#idle(id);
    return lookAtLanding(await this.#operations.landPorts(row), row, choice);
  }

  /** Resolves once it has begun, to a promise of its end. */
  async begin(
    id: string,
    request: LandRequest,
    isBringOnly = false,
  ): Promise<{ end: Promise<StoredWorkspace> }> {
    const preview = await this.look(id, request);
    assertLandable(preview);
    if (preview.base !== request.base || preview.head !== request.head) throw new CodedError('LAND_MOVED');
    const row = this.#idle(id);
    const { message = preview.message, leave, anyway, archive } = request;
    const data: LandData = {
      id: randomUUID(),
      method: preview.method,
      onto: `refs/heads/${preview.onto ?? ''}`,
      base: preview.base,
      head: preview.head,
      message: message.trim() === '' ? preview.message : message,
      ...(leave === true ? { leave } : {}),
      ...(anyway === true ? { anyway } : {}),
      ...(archive === true ? { archive } : {}),
      ...(isBringOnly ? { bringOnly: true } : {}),
      ...(preview.carry ? { carryHash: preview.carry.hash } : {}),
    };
    const { fault: _fault, ...landing } = row.landing ?? {};
    const step = preview.method === 'changes' ? 'plan' : 'commit';
    const begun = save(this.#options.table, row, { op: { kind: 'land', step, data: { ...data } }, landing });
    return { end: this.#operations.start(begun) };
  }

  /** Brings the base in and returns the files that conflict. */
  async bring(id: string, request: LandRequest): Promise<{ conflicts: string[] }> {
    const { end } = await this.begin(id, request, true);
    try {
      await end;
    } catch (error) {
      if (!(error instanceof CodedError) || error.code !== 'LAND_CONFLICT') throw error;
    }
    const { unfinished } = await this.look(id, {});
    return { conflicts: unfinished?.conflicts ?? [] };
  }
}
