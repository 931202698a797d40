/** The windows of a project as the API shows them. However many collections there are, a page reads the record and one item more. */
import type * as z from 'zod/mini';
import type { PitrWindows } from '../../contract/models/pitr.ts';
import { get, type Tenant } from '../../platform/index.ts';
import { type PitrRecord, pitrKey } from '../model/record.ts';
import { decodePositions } from '../model/resume-position.ts';
import { readPositions } from '../model/resume-token-items.ts';
import { expandGaps } from '../timeline/gap-lists.ts';
import { windowsOf } from '../timeline/windows.ts';

interface WindowsRequest {
  /** A question for one collection id. */
  readonly collection: string | undefined;
  readonly page: { readonly limit: number; readonly after: string | undefined };
  readonly now: Date;
}

type Shown = z.input<typeof PitrWindows>;

export const noWindows: Shown = {
  windows: [],
  gaps: [],
  sampled: [],
  diverged: [],
  collections: { count: 0, ids: [] },
  undetectedUpToSeconds: null,
};

export const readWindows = async (
  tenant: Tenant,
  pitr: PitrRecord,
  { collection, page, now }: WindowsRequest,
): Promise<{ readonly data: Shown; readonly next: string | undefined }> => {
  const { known = [], knownCount: count = known.length, countSpacingSeconds: undetectedUpToSeconds = null } = pitr;
  if (collection === undefined) {
    const { ids, next } = await pageOfIds(tenant, pitr, page);
    return { data: { ...windowsOf(pitr, now), collections: { count, ids: [...ids] }, undetectedUpToSeconds }, next };
  }
  const isKnown = await isCaptured(tenant, pitr, collection);
  const gaps = await expandGaps(tenant, pitr, () => true);
  const shown = windowsOf({ ...pitr, gaps }, now, { id: collection, isKnown });
  const named = shown.gaps.map((gap) => (gap.collections?.includes(collection) ? { ...gap, collections: [collection] } : gap));
  const collections = { count, ids: isKnown ? [collection] : [] };
  return { data: { ...shown, gaps: named, collections, undetectedUpToSeconds }, next: undefined };
};

/** The cursor is the number of a token item and an offset in it. While captures begin, only the first ids are known. */
const pageOfIds = async (
  tenant: Tenant,
  { projectId, tokenItems = 1, known = [] }: PitrRecord,
  { limit, after = '0:0' }: WindowsRequest['page'],
): Promise<{ readonly ids: readonly string[]; readonly next: string | undefined }> => {
  const [number = 0, offset = 0] = after.split(':').map(Number);
  const item = await get(pitrKey.tokens(tenant, projectId, number));
  const all = item ? decodePositions(item.groups).map(({ collectionId }) => collectionId) : number === 0 ? known : [];
  const end = offset + limit;
  const following = item && number + 1 < tokenItems ? `${number + 1}:0` : undefined;
  return { ids: all.slice(offset, end), next: end < all.length ? `${number}:${end}` : following };
};

const isCaptured = async (tenant: Tenant, pitr: PitrRecord, id: string): Promise<boolean> => {
  if (pitr.known?.includes(id)) return true;
  const positions = await readPositions(tenant, pitr, await get(pitrKey.tokens(tenant, pitr.projectId)));
  return positions.some(({ collectionId }) => collectionId === id);
};
