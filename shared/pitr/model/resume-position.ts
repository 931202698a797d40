/** The position from which the capture of a collection group resumes. */
import { takeWithinBytes } from '../../platform/index.ts';
import { momentOf } from './micro-time.ts';

export interface ResumePosition {
  readonly collectionId: string;
  /** All changes of the group up to here are captured, in microseconds. */
  readonly to: number;
  /** The resume token; without one, capture resumes from `to`. */
  readonly token: Buffer | undefined;
  /** Upper bound of its number of documents: a reported deletion may be of a document that was never counted. */
  readonly count: number | undefined;
  /** The count is exact: counted by the source, and no document was created or deleted since. */
  readonly isCounted?: boolean;
}

/** Where capture of a collection group begins: at the read time of a base that contains so many of its documents. */
export const startPosition =
  (to: number) =>
  ([collectionId, count]: readonly [string, number]): ResumePosition => ({
    collectionId,
    to,
    token: undefined,
    count,
    isCounted: true,
  });

type Stored = readonly [id: string, token: string, to: number, count: number | null, isCounted?: 0 | 1];

/** The positions as JSON texts of at most `maxBytes` each; at least one text. */
export const encodePositions = (positions: readonly ResumePosition[], maxBytes: number): readonly string[] => {
  const texts: string[][] = [[]];
  let bytes = 2;
  for (const { collectionId, token, to, count, isCounted } of positions) {
    const stored: Stored = [collectionId, token?.toString('base64') ?? '', to, count ?? null, isCounted ? 1 : 0];
    const text = JSON.stringify(stored);
    const more = Buffer.byteLength(text) + 1;
    if (bytes + more > maxBytes) {
      texts.push([]);
      bytes = 2;
    }
    texts.at(-1)?.push(text);
    bytes += more;
  }
  return texts.map((text) => `[${text.join(',')}]`);
};

export const decodePositions = (groups: string): readonly ResumePosition[] =>
  (JSON.parse(groups) as readonly Stored[]).map(([collectionId, token, to, count, isCounted]) => ({
    collectionId,
    to,
    token: token === '' ? undefined : Buffer.from(token, 'base64'),
    count: count ?? undefined,
    isCounted: isCounted === 1,
  }));

/** The target of a Listen request. */
export const targetOf = ({ collectionId, token, to }: ResumePosition, id: number) => ({
  id,
  collectionId,
  resumeToken: token,
  readTime: momentOf(to),
});

/** The first collection ids, as many as fit the record; an id may have 1,500 bytes. */
export const shownIds = (positions: readonly ResumePosition[]): readonly string[] =>
  takeWithinBytes(
    positions.map(({ collectionId }) => collectionId),
    { sizeOf: (id) => Buffer.byteLength(id), maxBytes: 5_000, maxCount: 100 },
  );
