/** Which clipboard contents become attachments instead of text. */

/** Longer text makes a text box too slow to type in. */
export const MAX_PASTED = 64 * 1024;

export function filesOfPaste(
  clipboard: Pick<DataTransfer, 'files' | 'types' | 'getData'>,
): Iterable<File> | undefined {
  // Content with both, such as a spreadsheet cell, is pasted as text.
  if (!clipboard.types.includes('text/plain')) {
    return clipboard.files.length > 0 ? clipboard.files : undefined;
  }
  const text = clipboard.getData('text/plain');
  return text.length > MAX_PASTED ? [new File([text], 'pasted.txt', { type: 'text/plain' })] : undefined;
}
