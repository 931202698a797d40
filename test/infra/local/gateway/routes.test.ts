/** The gateway prefers literal segments to parameters, whatever the order of the routes in the template is. */
import { equal } from 'node:assert/strict';
import fc from 'fast-check';
import { test } from 'vitest';
import { compileRoutes } from '../../../../infra/local/gateway/routes.ts';
import { endpoints } from '../../../../shared/contract/index.ts';

test('routes: every endpoint is reached by its own path, in any order of the routes', () => {
  const keys = endpoints.map(({ method, path }) => `${method} ${path}`);
  fc.assert(
    fc.property(fc.shuffledSubarray(keys, { minLength: keys.length }), (shuffled) => {
      const find = compileRoutes(shuffled.map((key) => ({ key, functionArn: key, credentialsArn: undefined, timeoutMs: 1 })));
      for (const { method, path } of endpoints)
        equal(find(method, path.replaceAll(/\{\w+\}/g, 'x1'))?.route.key, `${method} ${path}`);
    }),
    { numRuns: 20 },
  );
});
