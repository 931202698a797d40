import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { version } from '../../../../shared/contract/version.ts';
import type { LambdaHostOptions } from '../../../local/lambda/instance.ts';
import { packagedFileOf } from './packaged-file.ts';

/** Stands for `boot/bundle-functions.ts` in the package: all functions are bundled already. */
export const bundleFunctions = async (): Promise<Pick<LambdaHostOptions, 'worker' | 'bundleOf'> & { stop(): void }> => {
  const dir = fileURLToPath(new URL('built/functions', import.meta.url));
  // The folder of the package may not be writable.
  const cache = join(tmpdir(), `bms-local-${version}-compiled`);
  return {
    worker: join(dir, packagedFileOf('infra/local/lambda/worker.ts')),
    bundleOf: (entry) => ({ file: join(dir, packagedFileOf(entry)), cache }),
    stop: () => {},
  };
};
