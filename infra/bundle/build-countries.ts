import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { buildCached } from './build-cached.ts';

/** What functions load only if nothing is bundled. */
const library = new URL('../../shared/platform/country/country-library.ts', import.meta.url).href;

/** Packing takes 2 s of CPU. In a thread the local stage answers meanwhile. */
const packing = `
  const { library, file } = require('node:worker_threads').workerData;
  import(library).then(({ packedCountries }) => require('node:fs').writeFileSync(file, packedCountries()));`;

/** The packed table of countries, from the cache. */
export const buildCountries = async (): Promise<Buffer> => {
  const dir = await buildCached({
    kind: 'countries',
    from: ['shared/platform/country/*.ts'],
    make: async (draft) => {
      const thread = new Worker(packing, { eval: true, workerData: { library, file: join(draft, 'countries.br') } });
      // Rejects if the thread fails.
      await once(thread, 'exit');
    },
  });
  return readFileSync(join(dir, 'countries.br'));
};
