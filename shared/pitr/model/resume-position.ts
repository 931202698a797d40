/** Where the capture of each collection group was left off. */
import { momentOf } from './micro-time.ts';

export interface ResumePosition {
  readonly collectionId: string;
  /** Up to when everything of the group is captured, in microseconds. */
  readonly to: number;
  /** What the source goes on from; without one, from that moment. */
  readonly token: Buffer | undefined;
  /** How many documents it has at most, mostly exactly: what is told to be gone may never have been among them. */
  readonly count: number | undefined;
  /** That it is no hint: the source said so, and nothing came or went since. */
  readonly isCounted?: boolean;
}

type Stored = readonly [id: string, token: string, to: number, count: number | null, isCounted?: 0 | 1];

/** In texts of so many bytes at most; at least one. */
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

/** As a request to listen spells it. */
export const targetOf = ({ collectionId, token, to }: ResumePosition, id: number) => ({
  ...{ id, collectionId, resumeToken: token, readTime: momentOf(to) },
});

/** Ids that are shown: each may have 1,500 bytes. */
const shownMax = 100;
const shownMaxBytes = 5_000;

/** The first ones, as far as they fit a record with all else. */
export const shownIds = (positions: readonly ResumePosition[]): readonly string[] => {
  let bytes = 0;
  return positions
    .slice(0, shownMax)
    .map(({ collectionId }) => collectionId)
    .filter((id) => {
      bytes += Buffer.byteLength(id);
      return bytes <= shownMaxBytes;
    });
};
