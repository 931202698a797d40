/** The API description as OpenAPI. The reference that people read is a page of the console. */
import { description } from '../../shared/contract/endpoints/system.ts';
import { openapiText } from '../../shared/docs/index.ts';
import { serveStatic } from '../../shared/http/index.ts';

/** Changes only with a deployment, so it may be cached for a few minutes. */
const cached = { 'cache-control': 'public, max-age=300' };

export const openapi = serveStatic(description.openapi, () => ({
  body: openapiText(),
  contentType: 'application/json; charset=utf-8',
  headers: cached,
}));
