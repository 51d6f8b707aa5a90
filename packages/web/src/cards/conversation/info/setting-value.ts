/** Parses a typed setting: JSON if it parses, otherwise the text. Pure. */
export function settingValue(text: string): unknown {
  const trimmed = text.trim();
  try {
    return JSON.parse(trimmed);
  } catch {
    return trimmed;
  }
}
