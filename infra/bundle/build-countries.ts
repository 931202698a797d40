import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildCached } from './build-cached.ts';

/** What functions load only if nothing is bundled. */
const library = new URL('../../shared/platform/country/country-library.ts', import.meta.url);

/** The packed table of countries, from the cache: packing takes seconds. */
export const buildCountries = async (): Promise<Buffer> => {
  const dir = await buildCached({
    kind: 'countries',
    from: ['shared/platform/country/*.ts'],
    make: async (draft) => {
      const { packedCountries } = (await import(library.href)) as { packedCountries: () => Buffer };
      writeFileSync(join(draft, 'countries.br'), packedCountries());
    },
  });
  return readFileSync(join(dir, 'countries.br'));
};
