import { join } from 'node:path';
import { MemoryStore } from '../../../../shared/destination/index.ts';
import { DirectoryStore } from '../../../harness/store/directory-store.ts';
import {
  enableObjectLock,
  openAt,
  openGcsInParts,
  patient,
  smallPartBytes,
  startGoogle,
  startS3,
  startTokens,
  tempDir,
} from '../../../harness/store/store-stands.ts';
import { storeSuite } from '../../../harness/store/store-suite.ts';

for (const type of ['s3', 'spaces'] as const)
  storeSuite(type, async (stops) => {
    const url = await startS3(stops);
    return { open: (folder) => openAt(type, url, folder, patient), listsUploads: true };
  });

storeSuite('s3 with object lock', async (stops) => {
  const url = await startS3(stops);
  await enableObjectLock(url);
  const config = { objectLock: { mode: 'governance', days: 1 } } as const;
  return { open: (folder) => openAt('s3', url, folder, patient, config), listsUploads: true };
});

storeSuite(
  'gcs',
  async (stops) => {
    await startTokens(stops);
    const url = await startGoogle(stops);
    return { open: async (folder) => openGcsInParts(url, folder), listsUploads: false };
  },
  smallPartBytes,
);

// These two have no parts.
storeSuite(
  'a folder',
  async (stops) => {
    const dir = tempDir(stops);
    return { open: async (folder) => new DirectoryStore(join(dir, folder)), listsUploads: true };
  },
  smallPartBytes,
);

storeSuite(
  'memory',
  async () => {
    const stores = new Map<string, MemoryStore>();
    const open = async (folder: string) => {
      const store = stores.get(folder) ?? new MemoryStore();
      stores.set(folder, store);
      return store;
    };
    return { open, listsUploads: true };
  },
  smallPartBytes,
);
