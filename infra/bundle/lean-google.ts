import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'esbuild';

const modules = fileURLToPath(new URL('../../node_modules', import.meta.url));
const gaxios = join(modules, 'gaxios/build/cjs/src/index.js');
const neverCalled = "() => { throw new Error('not part of this bundle'); }";

/**
 * What `@google-cloud/storage` brings along and a function never runs, by the name it is imported with:
 * - `google-auth-library`: shared/destination/store/gcs/gcs-transport.ts is the auth client, so nothing looks for credentials elsewhere
 * - `teeny-request`, `html-entities`: the second HTTP client and its errors, replaced by shared/destination/store/gcs/gcs-storage.ts
 * - `https-proxy-agent`: only for requests without an agent, and each has one
 * - `mime`: only for objects without a content type
 * - `readable-stream`, `web-streams-polyfill`: what Node has built in
 * - `gaxios`: the same client in two versions; the one of the auth library serves both
 */
const stubs: Readonly<Record<string, string>> = {
  'google-auth-library': `
    import { AuthClient, DEFAULT_UNIVERSE } from ${JSON.stringify(join(modules, 'google-auth-library/build/src/auth/authclient.js'))};
    export { AuthClient, DEFAULT_UNIVERSE };
    export class GoogleAuth {
      constructor({ authClient } = {}) { this.authClient = authClient; }
      getCredentials() { throw new Error('not part of this bundle'); }
      request(options) { return this.authClient.request(options); }
    }`,
  'teeny-request': `export const teenyRequest = Object.assign(${neverCalled}, { defaults: ${neverCalled} });`,
  'html-entities': 'export const encode = (text) => text; export const decode = (text) => text;',
  'https-proxy-agent': `export const HttpsProxyAgent = ${neverCalled};`,
  mime: 'export default { getType: () => null };',
  'readable-stream': "module.exports = require('node:stream');",
  'web-streams-polyfill/dist/ponyfill.es2018.js': "module.exports = require('node:stream/web');",
};

/** Cuts the GCS client from 576 to 208 KB, zipped from 179 to 67 KB. test/infra/bundle/lean-google.test.ts runs the store suite on it. */
export const leanGoogle: Plugin = {
  name: 'lean-google',
  setup(build) {
    const filter = new RegExp(`^(${Object.keys(stubs).join('|')}|gaxios)$`);
    build.onResolve({ filter }, ({ path, importer }) => {
      if (path in stubs) return { path, namespace: 'lean-google', sideEffects: false };
      return importer.includes('@google-cloud') ? { path: gaxios } : undefined;
    });
    build.onLoad({ filter: /./, namespace: 'lean-google' }, ({ path }) => ({
      contents: stubs[path] ?? '',
      loader: 'js',
      resolveDir: modules,
    }));
  },
};

/** What the client for workloads on AWS never runs: shared/platform/aws/federated-access-token.ts gives it Node's own fetch and crypto. */
export const leanAuth: Plugin = {
  name: 'lean-auth',
  setup(build) {
    build.onResolve({ filter: /^(node-fetch|base64-js)$/ }, ({ path }) => ({ path, namespace: 'lean-auth', sideEffects: false }));
    build.onLoad({ filter: /./, namespace: 'lean-auth' }, () => ({ contents: `module.exports = ${neverCalled};`, loader: 'js' }));
  },
};
