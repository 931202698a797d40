import type { Client } from '../../shared/client/index.ts';
import { type RefusalOf, serviceDocuments } from '../mount/mount-from-service.ts';
import { type PullOptions, type PullPlan, pullDocuments } from './pull-documents.ts';

export { isCollectionPath } from '../../shared/firestore/index.ts';
export { ExportMask } from '../archive/export/export-mask.ts';

interface ServicePullOptions extends Omit<PullOptions, 'documents'> {
  readonly client: Client;
  readonly backup: string;
  readonly refusalOf: RefusalOf;
}

/** Copies documents of a backup that the service reads into an emulator. */
export const pullFromService = ({ client, backup, refusalOf, ...options }: ServicePullOptions): Promise<PullPlan> =>
  pullDocuments({ ...options, documents: serviceDocuments({ client, backup, refusalOf }) });
