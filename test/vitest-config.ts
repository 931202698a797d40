import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { hasBrowser } from './harness/browser/find-browser.ts';
import FileOrder from './setup/file-order.ts';
import { inDepthFiles, isWholeSuite } from './setup/in-depth-files.ts';

/** The files that need a running stage. In the other projects no STAGE_ variable is set. */
const stageFiles = [
  'test/attack/**/*.test.ts',
  'test/journey/**/*.test.ts',
  'test/load/**/*.test.ts',
  'test/functions/api/auth.test.ts',
  'test/functions/backup/reap.test.ts',
  'test/functions/organization/purge.test.ts',
  'test/functions/restore/reap.test.ts',
  'test/infra/local/iam/stage-permissions.test.ts',
  'test/infra/local/pipeline.test.ts',
  'test/infra/local/event-source/pollers.test.ts',
  'test/law/endpoint.test.ts',
  'test/law/log.test.ts',
  'test/law/secret.test.ts',
  'test/law/tenant.test.ts',
];

const sharedFiles = ['test/{shared,functions}/**/*.test.ts'];

/** Journeys through the console and the web SDK, in a real browser. */
const browserFiles = ['test/journey/console/**/*.test.ts', 'test/infra/local/engines/firestore/web-channel/web-sdk.test.ts'];
const leftByBrowser = hasBrowser ? [] : browserFiles;
if (!hasBrowser) console.log('browser: skipped, because there is no Chromium for this system; CHROMIUM_PATH names one');

const pathOf = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

// Node reads these when a process starts. The workers and the stage are child processes and inherit them.
Object.assign(process.env, {
  NODE_EXTRA_CA_CERTS: pathOf('fixture/tls/ca.pem'),
  NODE_COMPILE_CACHE: pathOf('../node_modules/.cache/compile'),
  // Google's clients would look for its metadata server, which is outside this machine.
  METADATA_SERVER_DETECTION: 'none',
});

const left = isWholeSuite(process.argv.slice(2)) ? [] : inDepthFiles;

/** Only a test that hangs should meet it: several times what the longest one takes on a busy machine. */
const timeoutMs = (seconds: number): { testTimeout: number; hookTimeout: number } => {
  const limit = Number(process.env.TEST_TIMEOUT_MS ?? seconds * 1_000);
  return { testTimeout: limit, hookTimeout: limit };
};

/** Short processes mostly allocate: fewer small collections save a sixth of the CPU of importing. */
const execArgv = ['--max-semi-space-size=64'];

export default defineConfig({
  root: pathOf('..'),
  test: {
    projects: [
      // Two projects, so that processes end now and then (test/setup/file-order.ts).
      {
        extends: true,
        test: {
          name: 'shared',
          include: sharedFiles,
          exclude: [...stageFiles, ...left],
          setupFiles: ['test/setup/low-priority.ts'],
          ...timeoutMs(60),
        },
      },
      {
        extends: true,
        test: {
          name: 'infra',
          include: ['test/**/*.test.ts'],
          exclude: [...sharedFiles, ...stageFiles, ...leftByBrowser, ...left],
          setupFiles: ['test/setup/low-priority.ts'],
          ...timeoutMs(60),
        },
      },
      {
        extends: true,
        test: {
          name: 'stage',
          include: stageFiles,
          exclude: [...leftByBrowser, ...left],
          globalSetup: ['test/setup/stage.ts', 'test/setup/browser.ts'],
          setupFiles: ['test/setup/stage-env.ts'],
          ...timeoutMs(180),
        },
      },
    ],
    // All projects have these, too.
    globalSetup: ['test/setup/run-dir.ts'],
    setupFiles: ['test/setup/fresh-start.ts', 'test/setup/seed.ts'],
    // Files share a process one after the other; test/setup/fresh-start.ts lets each begin anew.
    pool: 'forks',
    execArgv,
    isolate: false,
    // Node imports the sources itself: no transformation, and the same module loader as in production.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // Files of the stage wait half of their time: with four workers a quarter of the time of two cores was idle.
    maxWorkers: 6,
    sequence: { sequencer: FileOrder, setupFiles: 'list' },
    reporters: ['default', 'test/setup/durations.ts', 'test/setup/count-reporter.ts'],
    silent: 'passed-only',
    slowTestThreshold: 10_000,
    // What is waited for comes; on a busy machine it takes more than the second that is the default.
    expect: { poll: { timeout: 30_000 } },
    coverage: {
      provider: 'v8',
      include: ['shared/**/*.ts', 'functions/**/*.ts', 'infra/**/*.ts'],
      reporter: ['text-summary', 'html'],
    },
  },
});
