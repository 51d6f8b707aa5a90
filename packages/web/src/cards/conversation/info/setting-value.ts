/** A setting as it is typed: JSON where it reads as JSON, else the words themselves. Pure. */
export function settingValue(text: string): unknown {
  const trimmed = text.trim();
  try {
    return JSON.parse(trimmed);
  } catch {
    return trimmed;
  }
}
