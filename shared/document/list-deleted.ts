/** Documents that were deleted lately, from captured changes. */
import type * as z from 'zod/mini';
import { auditNote } from '../audit/index.ts';
import type { DeletedDocuments } from '../contract/models/document.ts';
import { loadFilter } from '../erasure/index.ts';
import { momentOf, readPitr, searchNewest } from '../pitr/index.ts';
import { after, type Change, type Tenant } from '../platform/index.ts';
import { documentsRootOf, type ProjectRecord } from '../project/index.ts';
import { type BackupDeps, backupDeps, requestArchiveDeps } from '../stored-backup/index.ts';

/** Shown at most; the search ends with them. */
const deletedMax = 50;
const workSeconds = 12;

export const listDeleted = async (
  tenant: Tenant,
  { project, deps = { ...backupDeps, ...requestArchiveDeps } }: { readonly project: ProjectRecord; readonly deps?: BackupDeps },
): Promise<{ readonly data: z.input<typeof DeletedDocuments>; readonly change: Change }> => {
  const change = { writes: [], audit: [auditNote(tenant, { type: 'project', id: project.id })] };
  const pitr = await readPitr(tenant, project.id);
  if (!pitr || pitr.bases.length === 0)
    return { data: { projectId: project.id, captured: false, documents: [], searchedFrom: null, complete: true }, change };
  const erasures = await loadFilter(
    tenant,
    { projectId: project.id, archive: { project: project.id } },
    documentsRootOf(project),
  );
  /** Paths of which a captured version has an erased value; the search of the erasure may not have found them yet. */
  const erased = new Set<string>();
  /** The newest change of each document. */
  const newest = new Map<string, { readonly at: number; readonly isDeleted: boolean }>();
  let deleted = 0;
  const { searchedFrom, isComplete } = await searchNewest(tenant, pitr, {
    visit: ({ path, at, isDeleted, content }) => {
      const known = newest.get(path);
      if (erased.has(path) || erasures?.hidesPath(Buffer.from(path))) return;
      if (!isDeleted && erasures?.hidesDocument(Buffer.from(path), content())) {
        deleted -= Number(known?.isDeleted ?? false);
        newest.delete(path);
        erased.add(path);
        return;
      }
      if (known && known.at >= at) return;
      deleted += Number(isDeleted) - Number(known?.isDeleted ?? false);
      newest.set(path, { at, isDeleted });
    },
    isEnough: () => deleted >= deletedMax,
    until: after(deps.clock.now(), workSeconds),
    clock: deps.clock,
    deps,
  });
  const documents = [...newest]
    .filter(([, { isDeleted }]) => isDeleted)
    .sort(([, a], [, b]) => b.at - a.at)
    .slice(0, deletedMax)
    .map(([path, { at }]) => ({ path, deletedAt: momentOf(at) }));
  return { data: { projectId: project.id, captured: true, documents, searchedFrom, complete: isComplete }, change };
};
