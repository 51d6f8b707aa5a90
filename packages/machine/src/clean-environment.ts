import { ENCLOSING_AGENT_VARIABLES } from '@tugdeck/agents/enclosing-agent';
import { agentEnvironment } from '@tugdeck/local/agent-environment';

/** The environment that agents get: without variables of an enclosing agent (L9). */
export function cleanEnvironment(environment: NodeJS.ProcessEnv): Record<string, string> {
  return agentEnvironment(environment, ENCLOSING_AGENT_VARIABLES);
}
