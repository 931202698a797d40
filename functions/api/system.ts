import { system } from '../../shared/contract/endpoints/system.ts';
import { handle } from '../../shared/http/index.ts';
import { env, healthCheck, iso, isSchemaKnown, publicKeys } from '../../shared/platform/index.ts';

const json = 'application/json; charset=utf-8';
export const health = handle(system.health, async ({ query, now }) => {
  const found = query.checks === 'true' ? await healthCheck(isSchemaKnown) : undefined;
  const checks = found && { database: found.database, redis: found.queue, storage: found.storage };
  const isHealthy = Object.values(checks ?? {}).every((verdict) => verdict === 'ok');
  const report = {
    status: isHealthy ? 'healthy' : 'degraded',
    version: env('SERVICE_VERSION'),
    timestamp: iso(now),
    ...(checks && { checks }),
  };
  const body = JSON.stringify({ success: isHealthy, ...report, data: report });
  return { file: { body, contentType: json, status: isHealthy ? 200 : 503 } };
});

export const jwks = handle(system.jwks, async () => ({
  file: {
    body: JSON.stringify({ keys: await publicKeys() }),
    contentType: json,
    // Change only with a deployment, so they may be cached for a few minutes.
    headers: { 'cache-control': 'public, max-age=300' },
  },
}));
