import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** Files of the project `stage`. All other test files belong to `unit`, where no STAGE_ variable is set. */
const stageFiles = [
  'test/attack/**/*.test.ts',
  'test/journey/**/*.test.ts',
  'test/load/**/*.test.ts',
  'test/functions/api/auth.test.ts',
  'test/functions/backup/reap.test.ts',
  'test/functions/organization/purge.test.ts',
  'test/functions/restore/reap.test.ts',
  'test/infra/local/judged.test.ts',
  'test/infra/local/pipeline.test.ts',
  'test/infra/local/poller.test.ts',
  'test/law/endpoint.test.ts',
  'test/law/log.test.ts',
  'test/law/secret.test.ts',
  'test/law/tenant.test.ts',
];

const pathOf = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

Object.assign(process.env, {
  NODE_EXTRA_CA_CERTS: pathOf('test/fixture/tls/ca.pem'),
  NODE_COMPILE_CACHE: pathOf('node_modules/.cache/compile'),
});

export default defineConfig({
  test: {
    projects: [
      {
        extends: true,
        test: { name: 'unit', include: ['test/**/*.test.ts'], exclude: stageFiles },
      },
      {
        extends: true,
        test: {
          name: 'stage',
          include: stageFiles,
          reporters: ['default', 'test/setup/count-reporter.ts'],
    silent: 'passed-only',
    slowTestThreshold: 10_000,
    globalSetup: ['test/setup/stage.ts'],
          setupFiles: ['test/setup/stage-env.ts'],
        },
      },
    ],
    reporters: ['default', 'test/setup/count-reporter.ts'],
    silent: 'passed-only',
    slowTestThreshold: 10_000,
    globalSetup: ['test/setup/run-dir.ts'],
    setupFiles: ['test/support/seed.ts'],
    pool: 'forks',
    isolate: true,
    maxWorkers: 3,
    experimental: { viteModuleRunner: false, nodeLoader: false },
    testTimeout: Number(process.env.TEST_TIMEOUT_MS ?? 300_000),
    hookTimeout: Number(process.env.TEST_TIMEOUT_MS ?? 300_000),
  },
});
