export { createDestination, destinationInUse, removeDestination } from './api/create-destination.ts';
export { checkDestinationInput, type DestinationInput, requestedAccess, requiredAccess } from './api/destination-input.ts';
export { recoveryWrites } from './api/recovery-writes.ts';
export { assertDestinationWorks, failureWrites, testAndRecord, testDestination } from './api/test-destination.ts';
export {
  bucketLocation,
  changesLocation,
  destinationHasBackups,
  mergeInput,
  updateDestination,
} from './api/update-destination.ts';
export { credentialsMissing, hasCredentials, moveCredentials, openCredentials } from './model/credentials.ts';
export { defaultDestination } from './model/default-destination.ts';
export { objectPath } from './model/object-path.ts';
export {
  countBackups,
  countScheduledUse,
  destinationData,
  destinationKey,
  listDestinations,
  readDestination,
} from './model/read-destination.ts';
export type { DestinationRecord } from './model/record.ts';
export { abortUploadsOf } from './open/abort-uploads-of.ts';
export { deleteFromDestination } from './open/delete-from-destination.ts';
export { openGcsAddress, openS3Address } from './open/open-by-url.ts';
export { externalIdOf, openStore, openStoreInRequest, openStoreWith } from './open/open-store.ts';

export { MemoryStore } from './store/memory-store.ts';
export {
  checksumMismatch,
  type ExpectedObject,
  hasChecksum,
  type ObjectState,
  type ObjectStore,
  type PutOptions,
  StorageError,
  type Upload,
} from './store/object-store.ts';
export { objectThat, objectWithHash } from './store/object-versions.ts';
export { overNewConnection } from './store/over-new-connection.ts';
export { readBack } from './store/read-back.ts';
export { headExpected, readExpected, selectAfter } from './store/read-expected.ts';
export { requestRetryPolicy, taskRetryPolicy } from './store/retry-transient.ts';
