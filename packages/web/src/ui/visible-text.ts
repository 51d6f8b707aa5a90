/** The page's name for it; programs without a page write the same. */
export { fewMarks, proseText, visibleExact, visiblePath, visibleText } from '@tugdeck/protocol/visible-text';
