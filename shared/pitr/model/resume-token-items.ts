/** Where the positions of all collection groups are kept: as many items as they need, which move on at once. */
import { getAll, type Tenant, type Write } from '../../platform/index.ts';
import { type PitrRecord, pitrKey, type TokensRecord } from './record.ts';
import { decodePositions, encodePositions, type ResumePosition } from './resume-position.ts';

/** More collections than one transaction, of 4 MB with all else, can keep. */
export class TooManyCollections extends Error {
  constructor(collections: number) {
    super(
      `the project has ${collections} collection ids, more than can be captured: about 30,000 of ordinary length, 1,900 of the longest`,
    );
  }
}

/** An item has 400 KB. */
const itemMaxBytes = 300_000;
const allMaxBytes = 3_000_000;

/** Throws TooManyCollections. */
export const tokenWrites = (
  tenant: Tenant,
  pitr: PitrRecord,
  positions: readonly ResumePosition[],
): { readonly writes: readonly Write[]; readonly tokenItems: number } => {
  const texts = encodePositions(positions, itemMaxBytes);
  if (texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0) > allMaxBytes) throw new TooManyCollections(positions.length);
  const puts = texts.map((groups, n): Write => ({ put: { ...pitrKey.tokens(tenant, pitr.projectId, n), groups } }));
  return { writes: [...puts, ...dropTokens(tenant, pitr, texts.length)], tokenItems: texts.length };
};

/** Removes those from the n-th on. */
export const dropTokens = (tenant: Tenant, { projectId, tokenItems = 1 }: PitrRecord, from = 0): readonly Write[] =>
  Array.from({ length: Math.max(0, tokenItems - from) }, (_, n) => ({ remove: pitrKey.tokens(tenant, projectId, from + n) }));

/** The rest of those whose first item is given. Nothing is written of a turn that ended meanwhile, so they need not be of one moment. */
export const readPositions = async (
  tenant: Tenant,
  { projectId, tokenItems = 1 }: PitrRecord,
  first: TokensRecord | undefined,
): Promise<readonly ResumePosition[]> => {
  const keys = Array.from({ length: tokenItems - 1 }, (_, n) => pitrKey.tokens(tenant, projectId, n + 1));
  const items = [first, ...(await getAll(keys))];
  return items.flatMap((item) => (item ? decodePositions(item.groups) : []));
};
