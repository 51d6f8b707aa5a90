/** What some tools do beyond their kind: a whole file is written, files are found by their names. */
export const TOOL_VARIANTS = ['write', 'find-files'] as const;
export type ToolVariant = (typeof TOOL_VARIANTS)[number];
