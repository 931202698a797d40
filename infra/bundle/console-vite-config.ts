import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import type { Plugin, UserConfig } from 'vite';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The stage that the development server of `npm run console` forwards calls to. */
const stage = process.env.STAGE_URL ?? 'http://localhost:3000';

/** /docs is a page of the console outside of its base. */
const serveDocs: Plugin = {
  name: 'serve-docs',
  configureServer: ({ middlewares }) => {
    middlewares.use((request, _response, next) => {
      if (/^\/docs(\/|\?|$)/.test(request.url ?? '')) request.url = '/console/';
      next();
    });
  },
};

/**
 * The charts' library formats numbers in `navigator.language` as it loads. Browsers of systems without a language report `en-US@posix`,
 * which Intl refuses, so that the overview could not be shown. It gets the language that Intl has chosen instead.
 */
const chartLanguage: Plugin = {
  name: 'chart-language',
  transform: (code, id) => {
    if (!/\/uplot\/dist\/uPlot\.esm\.js/.test(id)) return undefined;
    const [before, after] = ["domEnv ? nav.language : 'en-US'", 'undefined'];
    if (!code.includes(before)) throw new Error('uPlot no longer reads navigator.language as expected: see chartLanguage');
    return { code: code.replace(before, after), map: null };
  },
};

/** How Vite builds and serves functions/console/app. */
export const consoleViteConfig: UserConfig = {
  root: `${root}functions/console/app`,
  base: '/console/',
  publicDir: false,
  plugins: [react(), serveDocs, chartLanguage],
  // Plugins do not see packages that the development server has bundled before.
  optimizeDeps: { exclude: ['uplot'] },
  cacheDir: `${root}node_modules/.cache/console`,
  build: {
    target: 'es2023',
    cssTarget: 'esnext',
    // Small files as data: addresses would need a weaker Content-Security-Policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      preserveEntrySignatures: false,
      // Everything the first page needs is one file, so that it takes one request.
      output: { codeSplitting: { groups: [{ name: 'main', tags: ['$initial'] }] } },
    },
    license: { fileName: 'licences.json' },
  },
  server: {
    port: 5173,
    strictPort: true,
    // The app imports from shared/, which is outside of its folder.
    fs: { allow: [root] },
    // The stage accepts changes with a session cookie from its own origin only.
    proxy: Object.fromEntries(
      ['/api', '/health', '/_local'].map((path) => [path, { target: stage, changeOrigin: false, headers: { origin: stage } }]),
    ),
  },
};

export default consoleViteConfig;
