/** Splits code into coloured pieces. It knows strings, comments, numbers and words of the languages in the docs, no grammar. */
export type Language = 'json' | 'sh' | 'ts' | 'python' | 'go' | 'java' | 'text';

export interface Token {
  readonly kind: 'plain' | 'key' | 'string' | 'number' | 'word' | 'comment';
  readonly text: string;
}

const words: Readonly<Record<Language, string>> = {
  json: 'true false null',
  sh: 'curl until do done while grep sleep sed echo export',
  ts: 'import export from const let await async for of if else return throw new true false null typeof function try catch type',
  python: 'import from def return if else for in not is None True False try except raise while any with as and or',
  go: 'package import func return if else for range var const type struct string bool byte int64 true false nil map',
  java: 'import public static final class return if else for new throws try catch void boolean byte long int true false null record',
  text: '',
};

const patternOf = (language: Language): RegExp => {
  const never = '(?!)';
  const hash = '(?<=^|\\s)#[^\\n]*';
  const slashes = '\\/\\/[^\\n]*|\\/\\*[\\s\\S]*?\\*\\/';
  const comment = language === 'python' || language === 'sh' ? hash : language === 'json' ? never : slashes;
  const string = `"(?:[^"\\\\\\n]|\\\\.)*"|'(?:[^'\\\\]|\\\\.)*'|\`(?:[^\`\\\\]|\\\\.)*\``;
  const key = language === 'json' ? '"(?:[^"\\\\\\n]|\\\\.)*"(?=\\s*:)' : never;
  const keywords = words[language].split(' ').filter(Boolean).join('|') || never;
  const number = language === 'sh' ? never : '(?<![\\w-])-?\\d[\\d_.]*\\b';
  return new RegExp(
    `(?<comment>${comment})|(?<key>${key})|(?<string>${string})|(?<number>${number})|(?<word>(?<![\\w$.-])(?:${keywords})(?![\\w-]))`,
    'gm',
  );
};

export const highlight = (code: string, language: Language): readonly Token[] => {
  if (language === 'text') return [{ kind: 'plain', text: code }];
  const tokens: Token[] = [];
  let end = 0;
  for (const match of code.matchAll(patternOf(language))) {
    const [text] = match;
    if (text === '') continue;
    if (match.index > end) tokens.push({ kind: 'plain', text: code.slice(end, match.index) });
    const kind = (['comment', 'key', 'string', 'number', 'word'] as const).find((name) => match.groups?.[name] !== undefined);
    tokens.push({ kind: kind ?? 'plain', text });
    end = match.index + text.length;
  }
  if (end < code.length) tokens.push({ kind: 'plain', text: code.slice(end) });
  return tokens;
};
