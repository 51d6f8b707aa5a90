/**
 * The one question of trust that is open on this page (X6). Whoever needs an agent to start asks here; the shell draws it,
 * whichever card or dialog is in front.
 */
import { ClientError } from '@tugdeck/client/client-error';
import { cell } from '../../ui/cell.ts';

export type TrustDecision = 'yes' | 'no' | 'closed';

export interface TrustPrompt {
  readonly project: string;
  readonly agent: string;
  readonly decided: (decision: TrustDecision) => void;
}

export const trustPrompt = cell<TrustPrompt | undefined>(undefined);

/** A second one waits for nobody: it is answered as if it was closed. */
export function askTrust(project: string, agent: string): Promise<TrustDecision> {
  if (trustPrompt.get()) return Promise.resolve('closed');
  return new Promise((resolve) => {
    trustPrompt.set({
      project,
      agent,
      decided: (decision) => {
        trustPrompt.set(undefined);
        resolve(decision);
      },
    });
  });
}

/** Does it, and once more where only a yes to the project was missing and the user gives it. */
export async function withTrust(project: string, agent: string, act: () => Promise<void>): Promise<void> {
  try {
    await act();
  } catch (error) {
    if (!isUntrusted(error) || (await askTrust(project, agent)) !== 'yes') throw error;
    await act();
  }
}

export function isUntrusted(error: unknown): boolean {
  return error instanceof ClientError && error.code === 'PROJECT_UNTRUSTED';
}
