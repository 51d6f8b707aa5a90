/** Re-exported for the page. */
export { fewMarks, proseText, visibleExact, visiblePath, visibleText } from '@tugdeck/protocol/visible-text';
