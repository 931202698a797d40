/**
 * How well a text matches what was typed; 0 if a word of it does not match. A whole word counts most, then the
 * beginning of one, then the inside, and least if only its letters follow each other in this order: `prd` finds Production.
 */
export const matchScore = (text: string, query: string): number => {
  const searched = text.toLowerCase();
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  let score = searched === query.trim().toLowerCase() ? 50 : 0;
  for (const [position, word] of words.entries()) {
    const points = wordScore(searched, word);
    if (points === 0) return 0;
    score += points + (position === 0 && searched.startsWith(word) ? 10 : 0);
  }
  return score;
};

const wordScore = (text: string, word: string): number => {
  let best = 0;
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1))
    best = Math.max(best, !beginsWord(text, at) ? 15 : isBoundary(text[at + word.length]) ? 35 : 30);
  return best > 0 ? best : subsequenceScore(text, word);
};

const isBoundary = (letter: string | undefined): boolean => letter === undefined || !/[\p{L}\p{N}]/u.test(letter);

const beginsWord = (text: string, at: number): boolean => isBoundary(text[at - 1]);

/** Two letters or more, the first of which begins a word; gaps cost. One letter, or letters from anywhere, would find everything. */
const subsequenceScore = (text: string, word: string): number => {
  if (word.length < 2) return 0;
  let best = 0;
  for (let start = text.indexOf(word[0] as string); start >= 0; start = text.indexOf(word[0] as string, start + 1)) {
    if (!beginsWord(text, start)) continue;
    let at = start;
    let gaps = 0;
    for (const letter of word.slice(1)) {
      const next = text.indexOf(letter, at + 1);
      if (next < 0) return best;
      gaps += next - at - 1;
      at = next;
    }
    if (gaps <= 3 * word.length) best = Math.max(best, 10 - Math.min(9, gaps / word.length));
  }
  return best;
};
