/** A release whose items have another schema: a copy of a built one, as `npm run release` would have written it. */
import { createHash } from 'node:crypto';
import { cpSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { schemaVersion } from '../../../shared/contract/version.ts';

interface OtherSchema {
  readonly from: string;
  readonly to: string;
  readonly release: string;
  readonly version: number;
}

export const makeOtherSchema = ({ from, to, release, version }: OtherSchema): void => {
  cpSync(from, to, { recursive: true });
  const assets = join(to, 'template/assets');
  const engine = readdirSync(assets).find((name) => /^engine-\w+\.json$/.test(name)) ?? '';
  const named = `engine-of-schema-${version}.json`;
  const text = readFileSync(join(assets, engine), 'utf8')
    .replaceAll(`"Schema${schemaVersion}"`, `"Schema${version}"`)
    .replaceAll(`"SchemaVersion":${schemaVersion}`, `"SchemaVersion":${version}`);
  writeFileSync(join(assets, engine), text);
  renameSync(join(assets, engine), join(assets, named));
  const root = join(to, 'template/template.json');
  const template = JSON.parse(readFileSync(root, 'utf8').replaceAll(engine, named));
  template.Metadata.BackupManagementService = { Release: release, SchemaVersion: version };
  writeFileSync(root, JSON.stringify(template));
  writeDigests(to);
};

/** Gives the code of a function another name, as a release with other code would, so that an update changes the function. */
export const changeCode = (folder: string, name: string): void => {
  const assets = join(folder, 'template/assets');
  const zip = readdirSync(assets).find((each) => each.includes(name) && each.endsWith('.zip')) ?? '';
  renameSync(join(assets, zip), join(assets, `${name}-changed.zip`));
  const engine = readdirSync(assets).find((each) => /^engine-.*\.json$/.test(each)) ?? '';
  writeFileSync(
    join(assets, 'engine-changed.json'),
    readFileSync(join(assets, engine), 'utf8').replaceAll(zip, `${name}-changed.zip`),
  );
  const root = join(folder, 'template/template.json');
  writeFileSync(root, readFileSync(root, 'utf8').replaceAll(engine, 'engine-changed.json'));
  writeDigests(folder);
};

/** States the digests of the files as they are now. */
export const writeDigests = (folder: string): void => {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== 'SHA256SUMS')
    .map((entry) => join(entry.parentPath, entry.name));
  const lines = files.map((path) => {
    const digest = createHash('sha256').update(readFileSync(path)).digest('hex');
    return `${digest}  ${path.slice(folder.length + 1)}\n`;
  });
  writeFileSync(join(folder, 'SHA256SUMS'), lines.sort().join(''));
};
