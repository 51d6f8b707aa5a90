/**
 * Variables that an agent sets for its child processes. Removed, so that agents we start do not think they are
 * nested.
 */
export const ENCLOSING_AGENT_VARIABLES: readonly RegExp[] = [
  /^CLAUDECODE$/,
  /^CLAUDE_CODE_(ENTRYPOINT|SSE_PORT|SESSION|CHILD|EXECPATH)/,
  /^AI_AGENT$/,
  /^GEMINI_CLI$/,
  /^CODEX_(SANDBOX|THREAD)/,
];
