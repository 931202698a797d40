/** The API description, as OpenAPI and as a page. */
import { description } from '../../shared/contract/endpoints/system.ts';
import { openapiText, page } from '../../shared/docs/index.ts';
import { serveStatic } from '../../shared/http/index.ts';

/** Changes only with a deployment, so it may be cached for a few minutes. */
const cached = { 'cache-control': 'public, max-age=300' };

export const openapi = serveStatic(description.openapi, () => ({
  body: openapiText(),
  contentType: 'application/json; charset=utf-8',
  headers: cached,
}));

export const docs = serveStatic(description.docs, () => {
  const { html, contentSecurityPolicy } = page();
  return {
    body: html,
    contentType: 'text/html; charset=utf-8',
    headers: { ...cached, 'content-security-policy': contentSecurityPolicy, 'referrer-policy': 'no-referrer' },
  };
});
