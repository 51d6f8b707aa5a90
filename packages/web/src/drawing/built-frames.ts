/** What the build puts here (`drawing-frames.ts` beside `vite.config.ts`): these are only the shapes. */
export const FRAME_ADDRESSES: Readonly<Record<'formula' | 'diagram', string>> = { formula: '', diagram: '' };

/** Every class that the style sheet for formulas knows. */
export const FORMULA_CLASSES: readonly string[] = [];
