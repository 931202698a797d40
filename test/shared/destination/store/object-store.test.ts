import { join } from 'node:path';
import { MemoryStore } from '../../../../shared/destination/index.ts';
import { DirectoryStore } from '../../../harness/store/directory-store.ts';
import { openAt, startGoogle, startS3, startTokens, tempDir } from '../../../harness/store/store-stands.ts';
import { storeSuite } from '../../../harness/store/store-suite.ts';

for (const type of ['s3', 'spaces'] as const)
  storeSuite(type, async (stops) => {
    const url = await startS3(stops);
    return { open: (folder) => openAt(type, url, folder), listsUploads: true };
  });

storeSuite('gcs', async (stops) => {
  await startTokens(stops);
  const url = await startGoogle(stops);
  return { open: (folder) => openAt('gcs', url, folder), listsUploads: false };
});

storeSuite('a folder', async (stops) => {
  const dir = tempDir(stops);
  return { open: async (folder) => new DirectoryStore(join(dir, folder)), listsUploads: true };
});

storeSuite('memory', async () => {
  const stores = new Map<string, MemoryStore>();
  const open = async (folder: string) => {
    const store = stores.get(folder) ?? new MemoryStore();
    stores.set(folder, store);
    return store;
  };
  return { open, listsUploads: true };
});
