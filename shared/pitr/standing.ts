/** Where the capture of each collection group was left off. */
import { momentOf } from './moment.ts';

export interface Standing {
  readonly collectionId: string;
  /** Up to when everything of the group is captured, in microseconds. */
  readonly to: number;
  /** What the source goes on from; without one, from that moment. */
  readonly token: Buffer | undefined;
  /** About how many documents it has: a hint, which is looked into before anything is concluded from it. */
  readonly count: number | undefined;
}

type Stored = readonly [id: string, token: string, to: number, count: number | null];

export const encodeStandings = (standings: readonly Standing[]): string =>
  JSON.stringify(
    standings.map(
      ({ collectionId, token, to, count }): Stored => [collectionId, token?.toString('base64') ?? '', to, count ?? null],
    ),
  );

export const decodeStandings = (groups: string): readonly Standing[] =>
  (JSON.parse(groups) as readonly Stored[]).map(([collectionId, token, to, count]) => ({
    collectionId,
    to,
    token: token === '' ? undefined : Buffer.from(token, 'base64'),
    count: count ?? undefined,
  }));

/** As a request to listen spells it. */
export const targetOf = ({ collectionId, token, to }: Standing, id: number) => ({
  ...{ id, collectionId, resumeToken: token, readTime: momentOf(to) },
});
