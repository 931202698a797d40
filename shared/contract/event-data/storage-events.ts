import * as z from 'zod/mini';
import { StorageDestination } from '../models/storage-destination.ts';
import { error } from './event-error.ts';
import { organization } from './fields.ts';

const storage = z.omit(StorageDestination, { credentials: true, workloadIdentity: true, externalId: true });

export const storageEvents = {
  'storage.connected': z.object({ organization, storage }),
  'storage.error': z.object({ organization, storage, error }),
};
