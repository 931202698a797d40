export { DirectoryStore } from './directory-store.ts';
export { MemoryStore } from './memory-store.ts';
export { openStore } from './open.ts';
export { countBackups, destinationData, readDestination } from './read.ts';
export type { DestinationRecord } from './record.ts';
export { type PutOptions, StorageError, type StorageErrorCode, type Store, type Upload } from './store.ts';
