/** Variables that locate agents' session files; the only ones passed to the reader (A40). */
export const HISTORY_VARIABLES = ['CLAUDE_CONFIG_DIR', 'CODEX_HOME'] as const;
