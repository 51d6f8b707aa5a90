/** Tools that do something more specific than their kind: write a whole file, find files by name. */
export const TOOL_VARIANTS = ['write', 'find-files'] as const;
export type ToolVariant = (typeof TOOL_VARIANTS)[number];
