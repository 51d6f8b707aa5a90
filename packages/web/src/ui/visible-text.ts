/** The page's name for it; programs without a page write the same. */
export { fewMarks, proseText, visiblePath, visibleText } from '@tugdeck/protocol/visible-text';
