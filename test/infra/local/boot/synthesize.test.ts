import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'vitest';
import { type Addresses, localConfig } from '../../../../infra/local/boot/local-config.ts';
import { synthesize } from '../../../../infra/local/boot/synthesize.ts';

const addressesFrom = (port: number): Addresses => ({
  apiUrl: `http://localhost:${port}`,
  identityUrl: `http://localhost:${port + 1}`,
  firestoreUrl: `http://127.0.0.1:${port + 2}`,
  s3Url: `http://localhost:${port + 3}`,
  gcsUrl: `http://localhost:${port + 4}`,
});
const templateOn = async (port: number): Promise<string> =>
  JSON.stringify(await synthesize(localConfig(addressesFrom(port), [])));

test('synthesis: templates of stages on different ports differ in their ports only', async () => {
  const [first, second] = [await templateOn(41_230), await templateOn(51_230)];
  for (const port of [0, 1, 2, 3, 4]) ok(first.includes(`:${41_230 + port}`) && second.includes(`:${51_230 + port}`));
  equal(first.replaceAll(/(localhost|127\.0\.0\.1|\[::1\]):4123/g, '$1:5123'), second);
  deepEqual(second.match(/6400\d/g), null);
});
