/** Stores the resume positions of all collection groups, in as many items as they need. */
import { getAll, type Tenant, type Write } from '../../platform/index.ts';
import { type PitrRecord, pitrKey, type TokensRecord } from './record.ts';
import { decodePositions, encodePositions, type ResumePosition } from './resume-position.ts';

/** The positions do not fit one transaction, which has at most 4 MB. */
export class TooManyCollections extends Error {
  constructor(collections: number) {
    super(
      `the project has ${collections} collection ids; at most about 30,000 of ordinary length, or 1,900 of the longest, can be captured`,
    );
  }
}

/** An item has at most 400 KB. */
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

/** Deletes the items from the n-th on. */
export const dropTokens = (tenant: Tenant, { projectId, tokenItems = 1 }: PitrRecord, from = 0): readonly Write[] =>
  Array.from({ length: Math.max(0, tokenItems - from) }, (_, n) => ({ remove: pitrKey.tokens(tenant, projectId, from + n) }));

/** Reads the items after the first. They may be inconsistent: a cycle that ended meanwhile cannot commit what it read. */
export const readPositions = async (
  tenant: Tenant,
  { projectId, tokenItems = 1 }: PitrRecord,
  first: TokensRecord | undefined,
): Promise<readonly ResumePosition[]> => {
  const keys = Array.from({ length: tokenItems - 1 }, (_, n) => pitrKey.tokens(tenant, projectId, n + 1));
  const items = [first, ...(await getAll(keys))];
  return items.flatMap((item) => (item ? decodePositions(item.groups) : []));
};
