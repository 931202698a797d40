export const storageTypes = ['s3', 'gcs', 'spaces'] as const;
export type StorageType = (typeof storageTypes)[number];
