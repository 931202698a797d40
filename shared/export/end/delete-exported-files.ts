/** Deletes everything in the folder of an export, which is its own. */
import { bucketLocation, deleteFromDestination, type ObjectStore, readDestination } from '../../destination/index.ts';
import type { Tenant } from '../../platform/index.ts';
import type { ExportDeps } from '../export-deps.ts';
import type { ExportRecord } from '../model/record.ts';

const namesMax = 1_000;

/** Returns why files stay, if they do. */
export const deleteExportedFiles = (
  tenant: Tenant,
  { storageDestination: { id: destinationId }, path, location }: Pick<ExportRecord, 'storageDestination' | 'path' | 'location'>,
  openStore: ExportDeps['openStore'],
): Promise<string | undefined> => {
  const reasonToKeep = async (): Promise<string | undefined> => {
    const isMoved = location !== undefined && location !== bucketLocation(await readDestination(tenant, destinationId));
    return isMoved ? 'The storage destination names another bucket now' : undefined;
  };
  return deleteFromDestination(tenant, { destinationId, path, openStore, reasonToKeep }, async (store: ObjectStore) => {
    await store.abortUnfinishedUploads('');
    let names: string[] = [];
    for await (const { name } of store.list('')) {
      names.push(name);
      if (names.length < namesMax) continue;
      await store.remove(names);
      names = [];
    }
    await store.remove(names);
  });
};
