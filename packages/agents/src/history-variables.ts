/** Variables by which agents' users say where their session files lie: the reader is given these and no others (A40). */
export const HISTORY_VARIABLES = ['CLAUDE_CONFIG_DIR', 'CODEX_HOME'] as const;
