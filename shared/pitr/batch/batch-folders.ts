import { type ExpectedObject, type ObjectStore, objectWithHash, readDestination } from '../../destination/index.ts';
import type { Tenant } from '../../platform/index.ts';
import type { ArchiveDeps } from '../../stored-backup/index.ts';
import type { BatchRecord } from '../model/record.ts';

/** Opens the parent folder, which all batches of a project share: once, so that its versions are listed once. */
export class BatchFolders {
  readonly #tenant: Tenant;
  readonly #deps: Pick<ArchiveDeps, 'openStore'>;
  readonly #stores = new Map<string, Promise<ObjectStore>>();

  constructor(tenant: Tenant, deps: Pick<ArchiveDeps, 'openStore'>) {
    this.#tenant = tenant;
    this.#deps = deps;
  }

  storeOf(batch: BatchRecord): Promise<ObjectStore> {
    return once(this.#stores, `${batch.storageDestinationId} ${folderOf(batch)}`, async () => {
      const destination = await readDestination(this.#tenant, batch.storageDestinationId);
      return this.#deps.openStore(this.#tenant, destination, folderOf(batch));
    });
  }

  close(): void {
    for (const store of this.#stores.values()) store.then((one) => one.close()).catch(() => undefined);
  }
}

/** A failure is not remembered. */
export const once = <T>(known: Map<string, Promise<T>>, key: string, open: () => Promise<T>): Promise<T> => {
  const opened = known.get(key) ?? open();
  known.set(key, opened);
  opened.catch(() => known.delete(key));
  return opened;
};

const folderOf = ({ path }: BatchRecord): string => path.slice(0, path.lastIndexOf('/'));

/** The name of its object in the parent folder. */
export const batchObjectName = ({ path, chunk }: BatchRecord): string => `${path.slice(path.lastIndexOf('/') + 1)}/${chunk.name}`;

export const batchObjectOf = (batch: BatchRecord): ExpectedObject =>
  objectWithHash({ ...batch.chunk, name: batchObjectName(batch) });
