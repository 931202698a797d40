/** What a search is for: a document by its path or id, or the documents whose fields meet conditions. Pure. */
import { type ErasureValue, parseMoment } from '../../archive/index.ts';
import { ApiError, invalid } from '../../contract/errors.ts';
import { fieldSegments, isDocumentPath } from '../../firestore/index.ts';
import { type DocumentAddress, parseDocumentAddress } from '../parse-document-address.ts';

export const valueComparisons = ['==', '!=', '<', '<=', '>', '>='] as const;
export type ValueComparison = (typeof valueComparisons)[number];

export type SearchCondition =
  | {
      readonly kind: 'compare';
      readonly field: readonly string[];
      readonly comparison: ValueComparison;
      /** In REST JSON. A reference is the path of a document of the same database. */
      readonly value: ErasureValue;
    }
  | { readonly kind: 'contains'; readonly field: readonly string[]; readonly value: ErasureValue }
  | { readonly kind: 'exists'; readonly field: readonly string[] }
  /** Anywhere in a document: in its path, or in a string at any depth. */
  | { readonly kind: 'text'; readonly text: string };

export type SearchQuery =
  /** The address may name the database, too. */
  | { readonly kind: 'path'; readonly path: string; readonly database?: DocumentAddress['database'] }
  | { readonly kind: 'id'; readonly id: string }
  | { readonly kind: 'values'; readonly conditions: readonly SearchCondition[] };

type Token = { readonly kind: 'text' | 'sign' | 'word'; readonly text: string };

const conditionsMax = 10;
const tokenPattern = /\s*(?:("(?:[^"\\]|\\.)*")|(==|!=|<=|>=|=|<|>)|((?:`(?:[^`\\]|\\.)+`|[^\s"<>=!`])+))/sy;

/** Throws VALIDATION_ERROR for `q`, with a sentence that says what is expected. */
export const parseQuery = (q: string): SearchQuery => {
  const text = q.trim();
  const isQuery = /["<>=!]/.test(text.replace(/^https?:\S+$/, '')) || /\s(contains|exists)(\s|$)/i.test(text);
  return isQuery ? { kind: 'values', conditions: parseConditions(tokensOf(text)) } : parseAddress(text);
};

const parseAddress = (text: string): SearchQuery => {
  try {
    const { path, isBareId, database } = parseDocumentAddress(text);
    return isBareId ? { kind: 'id', id: path } : { kind: 'path', path, ...(database && { database }) };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw invalid(
      'q',
      'must be the path or the id of a document, a text in double quotes, or conditions such as email == "ada@example.com" and total > 100',
    );
  }
};

const tokensOf = (text: string): readonly Token[] => {
  const tokens: Token[] = [];
  tokenPattern.lastIndex = 0;
  let at = 0;
  for (let match = tokenPattern.exec(text); match; match = tokenPattern.exec(text)) {
    const [, quoted, sign, word] = match;
    at = tokenPattern.lastIndex;
    if (quoted !== undefined) tokens.push({ kind: 'text', text: unquoted(quoted) });
    else tokens.push(sign === undefined ? { kind: 'word', text: word ?? '' } : { kind: 'sign', text: sign });
  }
  const rest = text.slice(at).trim();
  if (rest !== '') throw invalid('q', `cannot be read from ${JSON.stringify(rest.slice(0, 40))} on`);
  return tokens;
};

const unquoted = (quoted: string): string => {
  try {
    return JSON.parse(quoted) as string;
  } catch {
    throw invalid('q', `has the text ${quoted.slice(0, 40)}, in which a backslash or a line break is not escaped as in JSON`);
  }
};

const parseConditions = (tokens: readonly Token[]): readonly SearchCondition[] => {
  const groups: Token[][] = [[]];
  for (const token of tokens)
    if (isWord(token, 'and')) groups.push([]);
    else if (isWord(token, 'or')) throw invalid('q', 'cannot have "or"; search twice');
    else groups.at(-1)?.push(token);
  if (groups.length > conditionsMax) throw invalid('q', `can have at most ${conditionsMax} conditions`);
  return groups.map(parseCondition);
};

const isWord = ({ kind, text }: Token, word: string): boolean => kind === 'word' && text.toLowerCase() === word;

const parseCondition = (tokens: readonly Token[]): SearchCondition => {
  const [first, second, third, ...rest] = tokens;
  if (!first) throw invalid('q', 'has an "and" without a condition on both sides');
  if (!second) {
    if (first.kind === 'text' && first.text !== '') return { kind: 'text', text: first.text };
    throw invalid(
      'q',
      `has no condition for ${JSON.stringify(first.text)}, such as ${first.text || 'email'} == "x"; text is put in double quotes`,
    );
  }
  const field = fieldOf(first);
  if (isWord(second, 'exists') && !third) return { kind: 'exists', field };
  const isContains = isWord(second, 'contains');
  const comparison = second.text === '=' ? '==' : valueComparisons.find((one) => one === second.text);
  if (!isContains && (second.kind !== 'sign' || !comparison))
    throw invalid(
      'q',
      `has ${JSON.stringify(second.text)} after ${first.text}; use ${valueComparisons.join(', ')}, contains or exists`,
    );
  if (!third || rest.length > 0)
    throw invalid(
      'q',
      `needs one value after ${first.text} ${second.text}; conditions are joined by "and", and text is put in double quotes`,
    );
  const value = literalOf(third);
  if (isContains) return { kind: 'contains', field, value };
  if (comparison !== '==' && comparison !== '!=' && ('nullValue' in value || 'booleanValue' in value))
    throw invalid('q', `compares ${first.text} with ${third.text}, which has no order; use == or !=`);
  return { kind: 'compare', field, comparison: comparison ?? '==', value };
};

const fieldOf = ({ kind, text }: Token): readonly string[] => {
  const segments = kind === 'word' ? fieldSegments(text) : undefined;
  if (!segments)
    throw invalid(
      'q',
      `needs the path of a field, such as email or profile.email, before the comparison, not ${JSON.stringify(text)}`,
    );
  return segments;
};

const numberPattern = /^-?(?:\d+(?:\.\d+)?|\.\d+)(?:e[+-]?\d+)?$/i;
const integerPattern = /^-?\d{1,19}$/;
const momentPattern = /^\d{4}-\d\d-\d\d(?:T.*)?$/i;

const literalOf = ({ kind, text }: Token): ErasureValue => {
  if (kind === 'text') return { stringValue: text };
  const word = text.toLowerCase();
  if (kind === 'word' && (word === 'true' || word === 'false')) return { booleanValue: word === 'true' };
  if (kind === 'word' && word === 'null') return { nullValue: null };
  if (kind === 'word' && integerPattern.test(text)) return { integerValue: text };
  if (kind === 'word' && numberPattern.test(text)) return { doubleValue: Number(text) };
  if (kind === 'word' && momentPattern.test(text)) return { timestampValue: momentOf(text) };
  if (kind === 'word' && isDocumentPath(text)) return { referenceValue: text };
  throw invalid(
    'q',
    `has the value ${text}: put text in double quotes; a number, true, false, null, a date such as 2026-01-31, and the path of a document are written without`,
  );
};

const momentOf = (text: string): string => {
  const moment = text.length === 10 ? `${text}T00:00:00Z` : text;
  if (Number.isFinite(parseMoment(moment).seconds)) return moment;
  throw invalid('q', `has the date ${text}; write it as 2026-01-31 or 2026-01-31T08:00:00Z`);
};
