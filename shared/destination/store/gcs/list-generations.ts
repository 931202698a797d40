/** The generations that a bucket with Object Versioning keeps. */
import { clock } from '../../../platform/clock.ts';
import { StorageError } from '../object-store.ts';
import type { ListedVersion } from '../object-versions.ts';
import { PageGuard } from '../page-guard.ts';
import { type GcsClient, objectOf } from './gcs-client.ts';

interface Generation extends ListedVersion {
  readonly isLocked: boolean;
}

interface VersionsResponse {
  readonly items?: readonly { readonly name?: string; readonly timeDeleted?: string }[];
  readonly nextPageToken?: string;
}

/** Generations of one object that are sorted, so that memory stays flat. Cloud Storage accepts one write a second to an object. */
export const generationsMax = 100_000;

/**
 * Generations by name, those of one name newest first. One without a live generation begins with a delete marker, which Cloud Storage
 * itself does not have. More than `generationsMax` of one name come in several groups, with the marker in the last. None if listing
 * is denied.
 */
export async function* listGenerations(
  client: GcsClient,
  { folder, prefix, signal }: { readonly folder: string; readonly prefix: string; readonly signal?: AbortSignal | undefined },
): AsyncGenerator<Generation, void, undefined> {
  const pageGuard = new PageGuard();
  const fields = 'items(name,size,generation,timeDeleted,retention),nextPageToken';
  const query = { prefix: `${folder}${prefix}`, versions: true, fields, autoPaginate: false };
  let ofName: Generation[] = [];
  let isLive = false;
  let pageToken: string | undefined;
  do {
    const page = pageToken === undefined ? query : { ...query, pageToken };
    const response = await client
      .attempt(async () => {
        const [, , answer] = await client.bucket({ doing: 'list the versions of an object', signal }).getFiles(page);
        return answer as VersionsResponse;
      }, signal)
      .catch(asUnlisted);
    if (!response) return;
    const { items = [], nextPageToken } = response;
    for (const item of items) {
      const { generation: version, size, lockedUntil } = objectOf(item);
      const name = (item.name ?? '').slice(folder.length);
      const isLocked = lockedUntil !== undefined && lockedUntil > clock.now();
      const isNewest = item.timeDeleted === undefined;
      if (ofName[0] && ofName[0].name !== name) {
        yield* newestFirst(ofName, isLive);
        ofName = [];
        isLive = false;
      } else if (ofName.length >= generationsMax) {
        yield* newestFirst(ofName, true);
        ofName = [];
      }
      isLive ||= isNewest;
      ofName.push({ name, version, size, isNewest, isLocked });
    }
    pageToken = nextPageToken && pageGuard.next(nextPageToken, items.length);
  } while (pageToken);
  yield* newestFirst(ofName, isLive);
}

/** The order in which Cloud Storage lists the generations of one object is not specified. */
const newestFirst = (found: readonly Generation[], isLive: boolean): readonly Generation[] => {
  const sorted = found.toSorted((a, b) => (BigInt(a.version ?? 0) < BigInt(b.version ?? 0) ? 1 : -1));
  const [first] = sorted;
  if (!first || isLive) return sorted;
  return [{ name: first.name, version: undefined, size: 0, isNewest: true, isLocked: false }, ...sorted];
};

const asUnlisted = (error: unknown): undefined => {
  if (!(error instanceof StorageError) || error.code !== 'denied') throw error;
};
