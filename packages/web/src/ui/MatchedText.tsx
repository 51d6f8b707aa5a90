/** Text with the matched letters highlighted. */
export function MatchedText({ text, at }: { text: string; at: readonly number[] }) {
  const marked = new Set(at);
  const parts: { from: number; text: string; isMarked: boolean }[] = [];
  for (let index = 0; index < text.length; index++) {
    const letter = text[index] ?? '';
    const last = parts.at(-1);
    const isMarked = marked.has(index);
    if (last && last.isMarked === isMarked) last.text += letter;
    else parts.push({ from: index, text: letter, isMarked });
  }
  return parts.map((part) =>
    part.isMarked ? (
      <mark key={part.from} className="matched">
        {part.text}
      </mark>
    ) : (
      part.text
    ),
  );
}
