/** What the service tells anyone: how it is, its public keys, and its own description. */
import { describe } from '../../shared/contract/openapi.ts';
import { system } from '../../shared/contract/system.ts';
import { docsPage } from '../../shared/docs/index.ts';
import { handle } from '../../shared/http/index.ts';
import { env, iso, probe, publicKeys } from '../../shared/platform/index.ts';

const json = 'application/json; charset=utf-8';
/** These change with a deployment only, so a few minutes' age does no harm. */
const cached = { 'cache-control': 'public, max-age=300' };

export const health = handle(system.health, async ({ query, now }) => {
  const found = query.checks === 'true' ? await probe() : undefined;
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
  file: { body: JSON.stringify({ keys: await publicKeys() }), contentType: json, headers: cached },
}));

/** The description never changes while the code runs, so it is written once per container. */
let described: string | undefined;
let shown: ReturnType<typeof docsPage> | undefined;

export const openapi = handle(system.openapi, async () => {
  described ??= JSON.stringify(describe());
  return { file: { body: described, contentType: json, headers: cached } };
});

export const docs = handle(system.docs, async () => {
  shown ??= docsPage(describe());
  return {
    file: {
      body: shown.html,
      contentType: 'text/html; charset=utf-8',
      headers: { ...cached, 'content-security-policy': shown.contentSecurityPolicy, 'referrer-policy': 'no-referrer' },
    },
  };
});
