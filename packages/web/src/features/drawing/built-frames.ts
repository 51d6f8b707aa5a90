/** Filled in by the build (`drawing-frames.ts` beside `vite.config.ts`); these are placeholders. */
export const FRAME_ADDRESSES: Readonly<Record<'formula' | 'diagram', string>> = { formula: '', diagram: '' };

/** All classes of the formula style sheet. */
export const FORMULA_CLASSES: readonly string[] = [];
