/** Re-exported for the page. */
export { limitMarks, visibleProse, visibleExact, visiblePath, visibleText } from '@tugdeck/protocol/visible-text';
