import type { Client } from '../../shared/client/index.ts';
import { RpcError } from '../local/engines/firestore/index.ts';
import { type Mount, openMount } from './open-mount.ts';
import { ServiceDocuments } from './service-documents.ts';

export { mountWords, overlayWords } from './open-mount.ts';

interface ServiceMountOptions {
  readonly client: Client;
  readonly backup: string;
  /** `projects/p/databases/d` */
  readonly source: string;
  readonly port: number;
  readonly overlay: string | undefined;
  /** What clients are told of a page that the service does not give. */
  readonly refusalOf: (error: unknown) => { readonly code: 'PERMISSION_DENIED' | 'UNAVAILABLE'; readonly message: string };
}

/** Serves a backup that the service reads. */
export const mountFromService = ({ client, refusalOf, ...options }: ServiceMountOptions): Promise<Mount> => {
  const errorOf = (error: unknown): Error => {
    if (error instanceof RpcError) return error;
    const { code, message } = refusalOf(error);
    return new RpcError(code, message);
  };
  return openMount({ ...options, documents: new ServiceDocuments(client, options.backup, errorOf) });
};
