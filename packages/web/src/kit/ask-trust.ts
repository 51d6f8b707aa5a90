/** The page's open trust prompt (X6). Code that needs to start an agent asks here; the shell renders the dialog. */
import { ClientError } from '@tugdeck/client/client-error';
import { cell } from './cell.ts';

export type TrustDecision = 'yes' | 'no' | 'closed';

export interface TrustPrompt {
  readonly project: string;
  readonly agent: string;
  readonly decided: (decision: TrustDecision) => void;
}

export const trustPrompt = cell<TrustPrompt | undefined>(undefined);

/** A second prompt is not queued: it resolves as closed. */
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

/** Runs `act`; if only trust was missing and the user gives it, runs it again. */
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
