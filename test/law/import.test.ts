/** Laws about layers: which folder may import which, and where external services are called. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'vitest';
import { endpoints, entryOf } from '../../shared/contract/index.ts';
import { workers } from '../../shared/contract/runtime/workers.ts';
import { type Import, linesWith, root, type Source, sources, sourcesIn } from '../harness/law/source-files.ts';

/** Each domain folder may import itself and those before it. */
const domains = [
  'contract',
  // Imports types of the contract only, because browsers load it.
  'client',
  'docs',
  'archive',
  'platform',
  // Reads a database over the wire and knows no tenants; projects use it.
  'firestore',
  // Rules over encoded documents: restores and exports mask alike.
  'mask',
  // Bytes in, bytes out: knows neither stores nor tenants.
  'export-format',
  // Judges what the copying workers count; knows neither tenants nor the table.
  'anomaly',
  'event',
  'audit',
  'account',
  'organization',
  'project',
  'destination',
  // Attempts, leases, retries and health: what webhooks and alerts have in common.
  'delivery',
  'job',
  // Cron, due times, ticks and Scheduler entries: what schedules and restore tests have in common.
  'recurring',
  // What no reader of a backup may show.
  'erasure',
  // Opens, reads, verifies and deletes what the job of the next folder has made; restores and points in time need no more.
  'stored-backup',
  'backup',
  // A point in time becomes a backup, which is restored like any other.
  'pitr',
  // Finds a document live, in backups and in captured changes.
  'document',
  'restore',
  // Writes what it reads of backups, and of moments that restores build, as files.
  'export',
  'schedule',
  // Retention keeps what schedules, points in time and restores need.
  'retention',
  'webhook',
  // Tests restore backups and moments by schedule, and ask checks as webhooks are called.
  'restore-test',
  // A moving project takes along data of all folders before.
  'move',
  // Jobs of all domains before stop first.
  'organization-deletion',
  // Reads what all domains before have stored.
  'overview',
  // Reads what a period has left in all domains before.
  'report',
  // Incidents from failures in all domains before, and a digest of the overview.
  'alert',
  'http',
];
const domainOf = (path: string): string | undefined => /^shared\/([^/]+)\//.exec(path)?.[1];
const ours = ({ imports }: Source): string[] => imports.filter(({ isOurs }) => isOurs).map(({ target }) => target);
const packages = ({ imports }: Source): string[] => imports.filter(({ isOurs }) => !isOurs).map(({ target }) => target);

const isType = ({ statement }: Import): boolean => statement.startsWith('import type');

/** The imports that break a rule, as `file → target`. */
const breaches = (
  from: readonly Source[],
  targets: (source: Source) => string[],
  allowed: (target: string, path: string) => boolean,
) =>
  from.flatMap((source) =>
    targets(source)
      .filter((target) => !allowed(target, source.path))
      .map((target) => `${source.path} → ${target}`),
  );

test('imports: sources and imports are found', () => {
  ok(sources.length > 100);
  ok(sourcesIn('shared/http').some((source) => ours(source).includes('shared/platform/index.ts')));
});

test('imports: every folder of shared is a known domain', () => {
  for (const { path } of sourcesIn('shared')) ok(domains.includes(domainOf(path) ?? ''), path);
});

test('imports: a domain imports itself and earlier domains only', () => {
  const allowed = (target: string, path: string): boolean => {
    const [from, to] = [domains.indexOf(domainOf(path) ?? ''), domains.indexOf(domainOf(target) ?? '')];
    return to >= 0 && to <= from;
  };
  deepEqual(breaches(sourcesIn('shared'), ours, allowed), []);
});

/** Imports the constants of the scale model from where they are defined. It is not deployed. */
const scaleModel = 'infra/scale/code.ts';

/**
 * Stores are loaded lazily, when the first bucket is opened. Bundlers cannot tree-shake lazy imports, so through the index of
 * platform every bundle would contain whole AWS clients: a fifth of its size.
 */
const isLoadedLater = (path: string): boolean =>
  /^shared\/destination\/store\/(s3\/|gcs\/|retry-transient|remove-each)/.test(path);

/**
 * Rules whose effect the console and the command line show before they are saved. Taken one by one: through the index of its domain, a rule would bring
 * the AWS clients into the browser.
 */
const rulesOfConsole = [
  'shared/recurring/cron/next-run.ts',
  'shared/recurring/cron/time-zone.ts',
  'shared/retention/kept-by-policy.ts',
  // How the API docs show schemas, examples and calls; tests use them as well.
  'shared/docs/client-call.ts',
  'shared/docs/curl.ts',
  'shared/docs/sample.ts',
  'shared/docs/schema-fields.ts',
];

/** What a manifest notes about a configuration, and how two of them are compared. The indexes of these domains would bring the service. */
const rulesOfArchive = [
  'shared/contract/models/configuration.ts',
  'shared/project/configuration/configuration-diff-data.ts',
  'shared/stored-backup/configuration/archived-configuration.ts',
];

// The contract's index would pull every schema into every bundle.
test('imports: a domain is imported through its index, except the contract', () => {
  const allowed = (target: string, path: string): boolean =>
    path === scaleModel ||
    domainOf(target) === undefined ||
    domainOf(target) === domainOf(path) ||
    domainOf(target) === 'contract' ||
    (target.split('/').length === 3 && basename(target) === 'index.ts') ||
    (isLoadedLater(path) && domainOf(target) === 'platform') ||
    (/^(functions\/console\/app|infra\/(cli|release))\//.test(path) && rulesOfConsole.includes(target)) ||
    (path.startsWith('infra/archive/') && rulesOfArchive.includes(target));
  deepEqual(breaches(sourcesIn('shared', 'functions', 'infra'), ours, allowed), []);
});

test('imports: the rules that the archive command loads import the contract and the comparison only', () => {
  const allowed = (target: string): boolean =>
    target.startsWith('shared/contract/') || target === 'shared/project/configuration/compare-configurations.ts';
  const loaded = sources.filter(({ path }) => rulesOfArchive.includes(path) || path.endsWith('/compare-configurations.ts'));
  equal(loaded.length, rulesOfArchive.length + 1);
  for (const { path, imports } of loaded)
    deepEqual(
      imports.filter((one) => !isType(one) && /^shared\//.test(one.target) && !allowed(one.target)).map(({ target }) => target),
      [],
      path,
    );
});

test('imports: the rules that the console shows import nothing that a browser does not have', () => {
  const seen = new Set<string>();
  const visit = (path: string): void => {
    if (seen.has(path)) return;
    seen.add(path);
    const { imports = [] } = sources.find((source) => source.path === path) ?? {};
    for (const one of imports) if (!isType(one)) visit(one.target);
  };
  for (const path of rulesOfConsole) visit(path);
  const allowed =
    /^shared\/(contract\/(errors|limits)|recurring\/cron\/[a-z-]+|retention\/(calendar|kept-by-policy)|docs\/[a-z-]+)\.ts$/;
  ok(seen.size > rulesOfConsole.length);
  deepEqual(
    [...seen].filter((path) => !allowed.test(path)),
    [],
  );
});

test('imports: the whole contract is imported only by what is computed while bundling', () => {
  const importsAll = sourcesIn('functions', 'shared')
    .filter(({ imports }) => imports.some((one) => one.target === 'shared/contract/index.ts' && !isType(one)))
    .map(({ path }) => path);
  deepEqual(
    importsAll.filter((path) => !path.startsWith('shared/contract/')),
    ['shared/http/unrouted/precomputed-methods.ts'],
  );
});

test('imports: functions import shared only; the handler table imports its neighbours, and the console its own files', () => {
  const isConsole = (path: string): boolean => path.startsWith('functions/console/');
  const allowed = (target: string, path: string): boolean =>
    target.startsWith('shared/') || path === 'functions/handlers.ts' || (isConsole(path) && isConsole(target));
  deepEqual(breaches(sourcesIn('functions'), ours, allowed), []);
});

test('imports: infra imports only the contract and the client of shared; the local stage may import more', () => {
  // `infra/mount` serves backups by the stage's embedded Firestore, `infra/release/local` packs the stage, and `infra/release/fixture` keeps the state of one.
  const infra = sourcesIn('infra').filter(
    ({ path }) => !/^infra\/(local|mount|pull|archive|release\/(fixture|local))\//.test(path) && path !== scaleModel,
  );
  deepEqual(
    breaches(
      infra,
      ours,
      (target, path) =>
        /^(infra\/|shared\/contract\/|shared\/client\/index\.ts$)/.test(target) ||
        (/^infra\/(cli|release)\//.test(path) && rulesOfConsole.includes(target)),
    ),
    [],
  );
  deepEqual(
    breaches(infra, ours, (target) => !target.startsWith('infra/local/')),
    [],
  );
});

// It is independent of the service: a backup must be readable with the bucket and the key alone.
test('imports: the archive command imports formats, masks, the database, the buckets and KMS, and nothing of the service', () => {
  const indexes = ['archive', 'firestore', 'mask', 'export-format', 'destination', 'platform'].map(
    (domain) => `shared/${domain}/index.ts`,
  );
  // A rule about characters. By way of the platform it would bring the SDKs into the one file of the command line.
  const allowed = [...indexes, 'shared/contract/visible-text.ts', ...rulesOfArchive];
  deepEqual(
    breaches(sourcesIn('infra/archive'), ours, (target) => target.startsWith('infra/archive/') || allowed.includes(target)),
    [],
  );
});

// It is independent of the deployed version and runs without installed packages.
test('imports: the smoke test imports its own files, the client and Node only', () => {
  deepEqual(
    breaches(sourcesIn('infra/smoke'), ours, (target) => /^infra\/smoke\/|^shared\/client\/index\.ts$/.test(target)),
    [],
  );
  deepEqual(
    breaches(sourcesIn('infra/smoke'), packages, (name) => name.startsWith('node:')),
    [],
  );
});

// Browsers load it, and the smoke test runs without installed packages.
test('imports: the client imports its own files, and of the contract its version, the key in a secret, recovery times and types', () => {
  const loaded = sourcesIn('shared/client').flatMap(({ imports }) => imports.filter((one) => !isType(one)));
  ok(loaded.length > 5);
  deepEqual(
    loaded.filter(({ target }) => !/^shared\/(client\/|contract\/(version|webhook-key|recovery-times)\.ts$)/.test(target)),
    [],
  );
});

test('imports: shared and functions import nothing of infra or test', () => {
  deepEqual(
    breaches(sourcesIn('shared', 'functions'), ours, (target) => /^(shared|functions)\//.test(target)),
    [],
  );
});

test('imports: the contract imports zod only', () => {
  deepEqual(
    breaches(sourcesIn('shared/contract'), packages, (name) => name === 'zod'),
    [],
  );
});

const isCdk = (name: string) => ['aws-cdk-lib', 'constructs', 'cdk-nag'].includes(name);
test('imports: aws-cdk-lib is used in infra only', () => {
  const elsewhere = sources.filter(({ path }) => !/^(infra|test)\//.test(path));
  deepEqual(
    breaches(elsewhere, packages, (name) => !isCdk(name)),
    [],
  );
});

test('imports: AWS SDKs are used only where external services are called', () => {
  const elsewhere = sources.filter(
    ({ path }) =>
      !/^(shared\/(platform|destination)\/|infra\/(deploy|local|preflight|release\/template\/publish)\/|infra\/archive\/cli-credentials\.ts|test\/)/.test(
        path,
      ),
  );
  deepEqual(
    breaches(elsewhere, packages, (name) => !name.startsWith('@aws-sdk/') && !name.startsWith('@smithy/')),
    [],
  );
});

test('imports: AWS clients of the platform share one configuration with a time budget per call', () => {
  const platform = sourcesIn('shared/platform');
  const made = platform.filter(({ code }) => /\bnew [A-Z]\w*Client\(/.test(code));
  ok(made.length >= 8);
  for (const { path, code } of made) {
    // Runs outside functions, where configuration files may set an endpoint.
    const config = path.endsWith('/open-wrapped-key.ts') ? /\bbaseConfig\b/ : /\b(sdkConfig|queueClientConfig)\b/;
    ok(config.test(code), path);
  }
  const sends = linesWith(
    /(?<!callAws\(|callOwnKey\('', )\(options\) => \w+(?:\(\))?\.send\(|(?<!=> \w+(?:\(\))?)\.send\(/,
    platform,
  );
  deepEqual(
    sends.filter((line) => !line.startsWith('shared/platform/observe/annotate-trace.ts')),
    [],
  );
});

test('imports: what a module keeps between calls is created by warm', () => {
  const deployed = sources.filter(({ path }) => /^(shared|functions)\//.test(path) && !path.startsWith('functions/console/app/'));
  deepEqual(linesWith(/^let /m, deployed), []);
});

/** The console and the client run in browsers, and the command line and the preflight on a user's machine, where there is no platform. */
const inside = sources.filter(
  ({ path }) =>
    !/^(shared\/(client|platform)|functions\/console\/app|infra\/(bundle|cli|deploy|local|preflight|release|smoke)|test)\//.test(
      path,
    ),
);
for (const [what, pattern] of [
  ['the time', /\bDate\.now\(|\bnew Date\(\)|\bperformance\.now\(/],
  ['randomness', /\bMath\.random\(|\brandomUUID\b|\brandomBytes\b|\brandomInt\b|\bgetRandomValues\b/],
  ['the network', /(?<![.\w#])fetch\(/],
] as const)
  test(`imports: ${what} is accessed through platform only`, () => deepEqual(linesWith(pattern, inside), []));

test('imports: sockets are opened only where external services are called', () => {
  const outsideNetworkFolders = inside.filter(({ path }) => !/^shared\/(destination|firestore)\//.test(path));
  const sockets = ['node:http', 'node:https', 'node:http2', 'node:net', 'node:tls', 'node:dns', 'node:dgram'];
  deepEqual(
    breaches(outsideNetworkFolders, packages, (name) => !sockets.includes(name)),
    [],
  );
});

// Creating a Tenant is the core of tenancy: adding a file here needs a review.
const tenantCreators = [
  'shared/http/authorize.ts',
  'shared/organization/',
  'shared/organization-deletion/delete-organization.ts',
  'functions/event/task.ts',
  'functions/event/bucket-work.ts',
  'shared/job/step-handler.ts',
  'functions/organization/',
  'functions/backup/',
  'functions/restore/',
  'functions/restore-test/',
  'functions/export/workflow.ts',
  'functions/webhook/',
  'functions/alert/',
  'functions/schedule/',
  'functions/pitr/',
];
test('imports: a Tenant is created only where membership is checked', () => {
  const callers = sourcesIn('shared', 'functions')
    .filter(({ path, code }) => path !== 'shared/platform/tenant.ts' && /\bunsafeTenant\(/.test(code))
    .map(({ path }) => path);
  deepEqual(
    callers.filter((path) => !tenantCreators.some((allowed) => path.startsWith(allowed))),
    [],
  );
  // An endpoint gets its tenant from the request, wherever its file is.
  const handlers = new Set(endpoints.map(entryOf));
  deepEqual(
    callers.filter((path) => handlers.has(path)),
    [],
  );
  deepEqual(
    linesWith(/\bas Tenant\b|<Tenant>/, sourcesIn('shared', 'functions')).map((line) => line.split(':')[0]),
    ['shared/platform/tenant.ts'],
  );
});

test('imports: every handler and worker is where the contract says', () => {
  const files = [...endpoints.map(entryOf), ...Object.values(workers).map(({ entry }) => entry)];
  for (const file of files) ok(existsSync(join(root, file)), file);
});

test('imports: files are short and have descriptive names', () => {
  for (const { path, text } of sources) {
    const lines = text.split('\n').length - 1;
    // Most have 40 to 150: these limits find what is hardly one idea any more. Tests are lists of cases and may be longer.
    ok(lines <= (path.startsWith('test/') ? 700 : 350), `${path} has ${lines} lines`);
    ok(/^[a-z0-9]+(-[a-z0-9]+)*(\.test)?\.tsx?$/.test(basename(path)), path);
    ok(!/\b(utils?|helpers?|commons?|managers?|misc)\b/.test(path), path);
  }
});

test('imports: nothing disables the compiler or the linter, except where an error is tested', () => {
  for (const { path, text } of sources) {
    if (path === 'test/law/import.test.ts') continue;
    ok(!/biome-ignore|@ts-ignore|@ts-nocheck|eslint-disable/.test(text), path);
    ok(!text.includes('@ts-expect-error') || path === 'test/law/compile/handler-types.ts', path);
  }
});

// `import { z }` would add all of zod to every bundle: 449 KB instead of 101, measured. zod itself has methods for everything: 20 KB
// more per zipped bundle, and half as long again to build the schemas.
test('imports: zod/mini is imported as a namespace, and zod itself nowhere', () => {
  const statements = sources.flatMap(({ path, imports }) =>
    imports.filter(({ target }) => /^zod(\/|$)/.test(target)).map(({ statement }) => ({ path, statement })),
  );
  ok(statements.length > 10);
  deepEqual(
    statements.filter(
      ({ statement }) => !/^import (type )?(\* as z from 'zod\/mini'|\{ en \} from 'zod\/locales');$/.test(statement),
    ),
    [],
  );
});
