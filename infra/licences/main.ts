/** `npm run licences`: bundles all functions and writes infra/licences.md. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildCli } from '../bundle/build-cli.ts';
import { consolePackages } from '../bundle/build-console.ts';
import { bundle, entries } from '../bundle/bundle.ts';
import { bundledPackages } from './bundled.ts';
import { licencesPage } from './page.ts';

const outdir = mkdtempSync(join(tmpdir(), 'licences-'));
try {
  const packages = bundledPackages([await bundle(entries, outdir), (await buildCli()).metafile], await consolePackages());
  writeFileSync(new URL('../licences.md', import.meta.url), licencesPage(packages));
  console.log(`infra/licences.md lists ${packages.length} packages`);
} finally {
  rmSync(outdir, { recursive: true, force: true });
}
