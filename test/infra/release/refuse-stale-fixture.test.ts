import { doesNotReject, rejects } from 'node:assert/strict';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { test } from 'vitest';
import { fixtureFiles } from '../../../infra/release/fixture-files.ts';
import { refuseStaleFixture } from '../../../infra/release/refuse-stale-fixture.ts';
import { templateWithoutCode } from '../../../infra/release/template/template-without-code.ts';
import { openapiDocument } from '../../../shared/contract/openapi/openapi-document.ts';
import { version } from '../../../shared/contract/version.ts';

/** Without a cached one, the template is synthesized for every value of a parameter. */
const buildTimeoutMs = 600_000;

test(
  'release: a fixture that is missing, or has another API or template, is refused',
  async () => {
    const root = mkdtempSync(join(tmpdir(), 'stale-'));
    const folder = join(root, 'test/fixture/release', version);
    mkdirSync(folder, { recursive: true });
    const write = (name: string, value: unknown) => writeFileSync(join(folder, name), gzipSync(JSON.stringify(value)));
    await rejects(refuseStaleFixture(root), /openapi\.json\.gz is missing: npm run fixture makes it/);
    const released = await templateWithoutCode(version);
    write(fixtureFiles.openapi, openapiDocument());
    write(fixtureFiles.released, released);
    await doesNotReject(refuseStaleFixture(root));
    write(fixtureFiles.released, { ...released, root: { ...released.root, Description: 'another' } });
    await rejects(refuseStaleFixture(root), /^Error: released\.json\.gz in .* is not that of this commit: npm run fixture/);
    write(fixtureFiles.openapi, { ...openapiDocument(), paths: {} });
    await rejects(refuseStaleFixture(root), /openapi\.json\.gz and released\.json\.gz in/);
  },
  buildTimeoutMs,
);
