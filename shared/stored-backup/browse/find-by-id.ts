/** Finds documents by their id alone, in the root collections of a backup. */
import { type Archive, afterSubtree, recordKind, Seeker } from '../../archive/index.ts';
import type { Tenant } from '../../platform/index.ts';
import type { BackupRecord } from '../model/record.ts';
import type { ArchiveDeps } from '../read/open-archive.ts';
import { withArchiveInRequest } from '../read/with-archive-in-request.ts';

/** Pages of the index and leaves that are read at most; a collection takes one to three. */
const fetchesMax = 100;

/** Paths of the documents with this id, directly in root collections, by name. Others would need a scan of the whole backup. */
export const findById = (
  tenant: Tenant,
  { backup, id, deps }: { readonly backup: BackupRecord; readonly id: string; readonly deps?: ArchiveDeps | undefined },
): Promise<readonly string[]> =>
  withArchiveInRequest(tenant, { backup, deps, work: ({ archive }) => findInRootCollections(archive, id) });

const findInRootCollections = async (archive: Archive, id: string): Promise<readonly string[]> => {
  const root = Buffer.from(archive.documentsRoot);
  const seeker = new Seeker(archive);
  const found: string[] = [];
  let more = await seeker.seek(root);
  while (more && seeker.fetches < fetchesMax) {
    const name = await seeker.name();
    if (name?.compare(root, 0, root.length, 0, root.length) !== 0) break;
    const collection = name.subarray(0, name.indexOf(slash, root.length));
    const wanted = Buffer.concat([collection, Buffer.from(`/${id}`)]);
    await seeker.seek(wanted);
    if ((await seeker.name())?.equals(wanted) && (await seeker.kind()) === recordKind.document)
      found.push(wanted.toString('utf8', root.length));
    more = await seeker.seek(afterSubtree(collection));
  }
  return found;
};

const slash = 0x2f;
