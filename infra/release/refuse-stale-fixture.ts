import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual as equal } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { openapiDocument } from '../../shared/contract/openapi/openapi-document.ts';
import { version } from '../../shared/contract/version.ts';
import { fixtureFiles } from './fixture-files.ts';
import { templateWithoutCode } from './template/template-without-code.ts';

/** Throws unless the fixture has the API and the template of this release: later releases prove with it that they can take this one over. */
export const refuseStaleFixture = async (root: string): Promise<void> => {
  const fixture = `test/fixture/release/${version}`;
  const redo = 'npm run fixture makes it, for the tests of later releases. Commit it first.';
  const stored = (name: string): unknown => {
    const path = join(root, fixture, name);
    if (!existsSync(path)) throw new Error(`${fixture}/${name} is missing: ${redo}`);
    return JSON.parse(gunzipSync(readFileSync(path)).toString('utf8'));
  };
  const current: Readonly<Record<string, unknown>> = {
    [fixtureFiles.openapi]: openapiDocument(),
    [fixtureFiles.released]: await templateWithoutCode(version),
  };
  const stale = Object.keys(current).filter((name) => !equal(stored(name), JSON.parse(JSON.stringify(current[name]))));
  if (stale.length > 0) throw new Error(`${stale.join(' and ')} in ${fixture} is not that of this commit: ${redo}`);
};
