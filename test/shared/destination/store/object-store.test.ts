import { join } from 'node:path';
import { MemoryStore } from '../../../../shared/destination/index.ts';
import { DirectoryStore } from '../../../harness/store/directory-store.ts';
import {
  enableObjectLock,
  openAt,
  openGcsInParts,
  openS3InParts,
  smallPartBytes,
  smallS3PartBytes,
  startGoogle,
  startS3,
  startTokens,
  tempDir,
} from '../../../harness/store/store-stands.ts';
import { storeSuite } from '../../../harness/store/store-suite.ts';

storeSuite('s3', async (stops) => {
  const url = await startS3(stops);
  return { open: (folder) => openAt('s3', url, { folder }), listsUploads: true };
});

storeSuite(
  'spaces',
  async (stops) => {
    const url = await startS3(stops);
    return { open: (folder) => openS3InParts('spaces', { url, folder }), listsUploads: true };
  },
  smallS3PartBytes,
);

storeSuite(
  's3 with object lock',
  async (stops) => {
    const url = await startS3(stops);
    await enableObjectLock(url);
    const config = { objectLock: { mode: 'governance', days: 1 } } as const;
    return { open: (folder) => openS3InParts('s3', { url, folder, config }), listsUploads: true };
  },
  smallS3PartBytes,
);

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
