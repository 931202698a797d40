export { createDestination, inUse, removeDestination } from './api/create-destination.ts';
export { checkWish, type DestinationInput } from './api/destination-input.ts';
export { assertDestinationWorks, failureWrites, testAndRecord, testDestination } from './api/test-destination.ts';
export { changeDestination, changesLocation, type DestinationChange, hasBackups, mergeInput } from './api/update-destination.ts';
export { carryCredentials, openCredentials } from './model/credentials.ts';
export {
  countBackups,
  destinationData,
  destinationKey,
  listDestinations,
  readDestination,
  useDestination,
} from './model/get-destination.ts';
export type { DestinationRecord } from './model/record.ts';
export { deleteFromDestination } from './open/delete-from-destination.ts';
export { type Address, openGcsAddress, openS3Address } from './open/open-by-url.ts';
export { externalIdOf, openStore } from './open/open-store.ts';
export { DirectoryStore } from './store/directory-store.ts';
export { MemoryStore } from './store/memory-store.ts';
export { type ObjectStore, type PutOptions, StorageError, type StorageErrorCode, type Upload } from './store/object-store.ts';
export { callerPatience, chorePatience } from './store/retry.ts';
