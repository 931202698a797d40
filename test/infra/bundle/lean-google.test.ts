/** The GCS store as it is bundled for a function. */
import { ok } from 'node:assert/strict';
import { statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'esbuild';
import { test } from 'vitest';
import { leanGoogle } from '../../../infra/bundle/lean-google.ts';
import type { openGcsStore } from '../../../shared/destination/store/gcs/gcs-store.ts';
import {
  bucket,
  quick,
  requestToken,
  type Stops,
  startGoogle,
  startTokens,
  stopAll,
  tempDir,
} from '../../harness/store/store-stands.ts';
import { storeSuite } from '../../harness/store/store-suite.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const partBytes = 1 << 20;

/** The suite tells errors by their class, so the class is not bundled. */
const sharedErrors: Plugin = {
  name: 'shared-errors',
  setup(building) {
    building.onResolve({ filter: /\/object-store\.ts$/ }, () => ({
      path: join(root, 'shared/destination/store/object-store.ts'),
      external: true,
    }));
  },
};

const bundled = async (stops: Stops): Promise<{ readonly file: string; readonly open: typeof openGcsStore }> => {
  const file = join(tempDir(stops), 'index.cjs');
  await build({
    absWorkingDir: root,
    entryPoints: ['shared/destination/store/gcs/gcs-store.ts'],
    outfile: file,
    bundle: true,
    minify: true,
    format: 'cjs',
    platform: 'node',
    target: 'node24',
    mainFields: ['module', 'main'],
    plugins: [sharedErrors, leanGoogle],
    legalComments: 'none',
    logLevel: 'error',
  });
  const { openGcsStore: open } = createRequire(import.meta.url)(file) as { openGcsStore: typeof openGcsStore };
  return { file, open };
};

storeSuite(
  'gcs in a bundle',
  async (stops) => {
    await startTokens(stops);
    const baseUrl = await startGoogle(stops);
    const { open } = await bundled(stops);
    return {
      open: async (folder) => open({ bucket, folder, baseUrl, requestToken, retryPolicy: quick, partBytes }),
      listsUploads: false,
    };
  },
  partBytes,
);

test('lean-google: the GCS client adds at most 220 KB to a bundle', async () => {
  const stops: Stops = [];
  const { size } = statSync((await bundled(stops)).file);
  ok(size < 220_000, `${size} bytes`);
  await stopAll(stops);
});
