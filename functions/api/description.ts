/** The service's description of itself, as OpenAPI and as a page. */
import { description } from '../../shared/contract/system.ts';
import { handle } from '../../shared/http/index.ts';

/** It changes with a deployment only, so anyone may keep it a few minutes. */
const cached = { 'cache-control': 'public, max-age=300' };

/** Every row of the contract, loaded when first asked for: the function itself starts as fast as any other. */
const document = async () => (await import('../../shared/contract/openapi.ts')).describe();

const asJson = once(async () => JSON.stringify(await document()));
const asPage = once(async () => (await import('../../shared/docs/index.ts')).docsPage(await document()));

export const openapi = handle(description.openapi, async () => ({
  file: { body: await asJson(), contentType: 'application/json; charset=utf-8', headers: cached },
}));

export const docs = handle(description.docs, async () => {
  const { html, contentSecurityPolicy } = await asPage();
  return {
    file: {
      body: html,
      contentType: 'text/html; charset=utf-8',
      headers: { ...cached, 'content-security-policy': contentSecurityPolicy, 'referrer-policy': 'no-referrer' },
    },
  };
});

/** Made at the first call, the same for all the life of the container. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
