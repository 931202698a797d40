import type { Plugin } from 'esbuild';
import { buildCli, cliFile } from './build-cli.ts';
import { buildConsole, compressFile } from './build-console.ts';
import { buildCountries } from './build-countries.ts';
import { precomputeModules } from './precompute-modules.ts';

/** Besides the precomputed modules, the files of the console are built while bundling, the command line that it serves, and the table of countries. */
export const precompute: Plugin = {
  name: 'precompute',
  setup(build) {
    precomputeModules.setup(build);
    build.onLoad({ filter: /[\\/]functions[\\/]console[\\/]built-files\.ts$/ }, async () => ({
      contents: `export const builtFiles = ${JSON.stringify(await consoleFiles())};`,
      loader: 'js',
    }));
    build.onLoad({ filter: /[\\/]country-library\.ts$/ }, async () => ({
      contents: `import packed from '@ip-location-db/geo-whois-asn-country/geo-whois-asn-country-ipv4-num.csv';
        export const packedCountries = () => Buffer.from(packed, 'base64');`,
      loader: 'js',
      resolveDir: import.meta.dirname,
    }));
    // In place of the package's file, so that the list of licences names the package.
    build.onLoad({ filter: /[\\/]geo-whois-asn-country-ipv4-num\.csv$/ }, async () => ({
      contents: `export default ${JSON.stringify((await buildCountries()).toString('base64'))};`,
      loader: 'js',
    }));
  },
};

const consoleFiles = async () => {
  const [files, { content }] = await Promise.all([buildConsole(), buildCli()]);
  return { ...files, [cliFile]: compressFile(cliFile, content) };
};
