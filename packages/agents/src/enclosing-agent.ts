/** Variables that an agent sets for the programs it runs; one that we start must not think it is nested. */
export const ENCLOSING_AGENT_VARIABLES: readonly RegExp[] = [
  /^CLAUDECODE$/,
  /^CLAUDE_CODE_(ENTRYPOINT|SSE_PORT|SESSION|CHILD|EXECPATH)/,
  /^AI_AGENT$/,
  /^GEMINI_CLI$/,
  /^CODEX_(SANDBOX|THREAD)/,
];
