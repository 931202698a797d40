import { type Entry, kinds } from './build-index.ts';

const resultsMax = 40;

/** The best entries that contain every word of the query, best first. */
export const searchIndex = (entries: readonly Entry[], query: string): readonly Entry[] => {
  const text = query.trim().toLowerCase();
  const words = text.split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  const scored = entries.flatMap((entry, position) => {
    // The same field has an entry in many endpoints.
    const score = scoreOf(entry, text, words) / (entry.kind === 'Field' ? 3 : 1);
    return score > 0 ? [{ entry, position, score }] : [];
  });
  scored.sort((one, other) => other.score - one.score || one.position - other.position);
  return scored.slice(0, resultsMax).map(({ entry }) => entry);
};

/** 0 if a word is missing. Matches in the title, at the beginning of words, and of the whole query count more. */
const scoreOf = ({ kind, texts: [title, rest] }: Entry, text: string, words: readonly string[]): number => {
  let score = kinds.length - kinds.indexOf(kind);
  for (const word of words) {
    if (title.includes(word)) score += beginsWord(title, word) ? 30 : 15;
    else if (rest.includes(word)) score += beginsWord(rest, word) ? 6 : 3;
    else return 0;
  }
  if (title === text) return score + 100;
  if (title.startsWith(text)) return score + 40;
  // 'post /backups' is the whole address of one endpoint and the beginning of others.
  if (`${rest} `.includes(`${text} `)) return score + 35;
  return rest.includes(text) ? score + 10 : score;
};

const beginsWord = (text: string, word: string): boolean => {
  const at = text.indexOf(word);
  return at === 0 || /[^a-z0-9]/.test(text[at - 1] ?? '') || text.includes(` ${word}`);
};
