/** Re-exported for the page. */
export {
  limitMarks,
  visibleExact,
  visiblePath,
  visibleProse,
  visibleText,
} from '@tugdeck/protocol/visible-text';
