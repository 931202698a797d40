import { ArchiveError } from '../primitives/archive-error.ts';

/**
 * The one spelling of a JSON value (RFC 8785): keys sorted by UTF-16 code units, no spaces, numbers and escapes as ECMAScript writes
 * them. Rejects what JSON cannot express instead of dropping it.
 */
export const canonicalJson = (value: unknown): string => {
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value === 'string') return textJson(value);
  if (typeof value === 'number' && Number.isFinite(value)) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object')
    throw new ArchiveError('evidence-invalid', `JSON cannot express a ${typeof value} of this value`);
  // The default order of sort() is that of UTF-16 code units.
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, each]) => `${textJson(key)}:${canonicalJson(each)}`).join(',')}}`;
};

/** Unpaired surrogates have no UTF-8, so different texts would have the same bytes. */
const textJson = (text: string): string => {
  if (!text.isWellFormed()) throw new ArchiveError('evidence-invalid', 'a text is not well-formed Unicode');
  return JSON.stringify(text);
};
