import type { UnusualShare } from '../../anomaly/index.ts';

const percent = (share: number): string => `${Math.round(share * 1_000) / 10} %`;

/** One sentence for people. */
export const describeFinding = ({ collection, kind, field, observed, expected }: UnusualShare): string => {
  const { documents, total, share } = observed;
  const where = collection === null ? 'of all documents' : `of the documents in ${collection}`;
  const range = `expected at most ${percent(expected.max)}`;
  const numbers = `${percent(share)} ${where} (${documents} of ${total})`;
  if (kind === 'deleted') return `${numbers} were deleted; ${range}`;
  if (kind === 'changed') return `${numbers} were changed; ${range}`;
  if (kind === 'added')
    return `${documents} documents were added to ${collection ?? 'the database'}, which had ${total}; ${range}`;
  if (kind === 'entropy')
    return `${numbers} became unreadable${field === null ? '' : ` in field ${field}`}, as encryption makes them; ${range}`;
  return `Field ${field} disappeared from ${percent(share)} of the documents in ${collection} that had it (${documents} of ${total})`;
};
