import type { Client } from '../../shared/client/index.ts';
import { keepYoungSmall } from '../../shared/platform/index.ts';
import { RpcError } from '../local/engines/firestore/index.ts';
import { type Mount, type MountedBackup, type MountOptions, openMount } from './open-mount.ts';
import { ServiceDocuments } from './service-documents.ts';

export { isCollectionPath } from '../../shared/firestore/index.ts';
export { MountMask } from './mount-mask.ts';
export { maskWords, mountJson, mountWords, overlayWords } from './open-mount.ts';
export { scopeWords } from './scoped-documents.ts';

/** What clients are told of a page that the service does not give. */
export type RefusalOf = (error: unknown) => { readonly code: 'PERMISSION_DENIED' | 'UNAVAILABLE'; readonly message: string };

interface ServiceBackup extends Pick<MountedBackup, 'backup' | 'source' | 'databaseId'> {
  /** Everything that is served of it is proven. */
  readonly isProven: boolean;
}

interface ServiceMountOptions extends MountOptions {
  readonly client: Client;
  readonly backups: readonly ServiceBackup[];
  readonly refusalOf: RefusalOf;
}

/** Serves backups that the service reads. */
export const mountFromService = ({ client, refusalOf, backups, ...options }: ServiceMountOptions): Promise<Mount> => {
  keepYoungSmall();
  return openMount(
    backups.map((one) => ({ ...one, documents: serviceDocuments({ client, refusalOf, ...one }) })),
    options,
  );
};

interface ServiceDocumentsOptions {
  readonly client: Client;
  readonly backup: string;
  readonly refusalOf: RefusalOf;
  readonly isProven?: boolean;
}

/** The documents of a backup, with the refusals of the service as errors of Firestore. */
export const serviceDocuments = ({ client, backup, refusalOf, isProven = false }: ServiceDocumentsOptions): ServiceDocuments =>
  new ServiceDocuments({
    client,
    backupId: backup,
    isProven,
    errorOf: (error) => {
      if (error instanceof RpcError) return error;
      const { code, message } = refusalOf(error);
      return new RpcError(code, message);
    },
  });
