/** Inside a folder, imports run downward only: sub-folders form layers, lowest first, and no files form an import cycle. */
import { deepEqual, ok } from 'node:assert/strict';
import { basename, dirname } from 'node:path';
import { test } from 'vitest';
import { type Source, sources, sourcesIn } from '../harness/law/source-files.ts';

/** Sub-folders of one layer do not import each other. `.` is the folder itself; its index.ts may import everything. */
const layers: Readonly<Record<string, readonly (readonly string[])[]>> = {
  'shared/stored-backup': [
    ['cursor', 'model'],
    ['anomaly', 'encryption', 'removal'],
    ['.'],
    ['read'],
    ['browse', 'configuration', 'diff', 'erasure', 'verify', 'write'],
  ],
  'shared/backup': [['model'], ['incremental'], ['build'], ['steps'], ['copy', 'end', 'start'], ['seal'], ['import']],
  'shared/restore': [
    ['.', 'read', 'transform'],
    ['model'],
    ['run'],
    ['point-in-time', 'scope'],
    ['end', 'plan', 'start'],
    ['dry-run', 'seal', 'steps', 'write'],
  ],
  'shared/export': [['.'], ['encrypt', 'model'], ['download', 'end'], ['run'], ['start']],
  'shared/pitr': [
    ['.', 'model'],
    ['batch', 'budget', 'timeline'],
    ['base', 'listen', 'point', 'view'],
    ['coverage', 'settings'],
    ['audit', 'capture', 'removal'],
  ],
  'shared/webhook': [['model'], ['match', 'purge', 'request', 'sample'], ['.', 'deliver'], ['api'], ['disable', 'replay']],
  'shared/alert': [['message', 'digest'], ['model'], ['incident'], ['deliver'], ['api', 'purge', 'watch'], ['.']],
  'shared/restore-test': [['model'], ['compare', 'evidence', 'report'], ['api', 'run'], ['plan']],
  'shared/firestore': [
    ['grpc', 'names'],
    ['.', 'wire'],
    ['document', 'listen', 'read'],
    ['erasure', 'write'],
  ],
  'shared/destination': [['.', 'model', 'store'], ['store/gcs', 'store/s3'], ['open'], ['probe'], ['api']],
  'shared/recurring': [['cron'], ['.']],
  'shared/schedule': [['.', 'model'], ['api'], ['sync'], ['lifecycle', 'run']],
  'shared/archive': [
    ['name'],
    ['primitives'],
    ['evidence', 'key', 'leaf', 'object'],
    ['filter', 'page'],
    ['chunk', 'erasure', 'manifest'],
    ['.', 'reader'],
  ],
  'shared/platform': [['.'], ['async', 'http'], ['aws-client', 'country'], ['observe'], ['aws', 'table']],
  'shared/contract': [
    ['.'],
    ['models', 'runtime'],
    ['event-data'],
    ['endpoints', 'events'],
    ['endpoints/protection'],
    ['samples'],
    ['openapi/examples'],
    ['openapi'],
  ],
  'shared/organization': [['model'], ['api-key'], ['service-account'], ['member'], ['invitation'], ['.']],
  'shared/project': [['.'], ['auth-users', 'configuration']],
  'infra/cli': [
    ['base', 'completion'],
    ['config', 'texts'],
    ['output'],
    ['context'],
    ['login', 'mcp'],
    [
      'commands',
      'commands/alert',
      'commands/backup',
      'commands/deploy',
      'commands/restore',
      'commands/restore-test',
      'commands/schedule',
      'commands/organization',
      'commands/watch',
      'commands/webhook',
    ],
    ['.'],
  ],
  'infra/local': [
    ['base', 'engines/firestore/auth-users', 'engines/firestore/base'],
    ['engines/firestore/rules'],
    ['engines/identity/federation'],
    ['cloudformation', 'engines/firestore/proto', 'engines/identity', 'engines/shared', 'lambda'],
    [
      ...[
        'engines/cloudformation',
        'engines/dynamodb',
        'engines/fauxqs',
        'engines/firestore/faults',
        'engines/firestore/grpc',
        'engines/firestore/value',
      ],
      ...['engines/gcs', 'engines/kms', 'engines/step-functions', 'engines/sts', 'event-source', 'gateway', 'iam'],
    ],
    ['engines/firestore/indexes'],
    ['engines', 'engines/firestore/storage', 'engines/scheduler'],
    ['aws', 'engines/firestore/query', 'engines/firestore/web', 'engines/firestore/write'],
    ['engines/firestore/documents', 'engines/firestore/listen', 'engines/firestore/seed'],
    ['engines/firestore/web-channel'],
    ['engines/firestore'],
    ['boot'],
    ['cloud', 'demo', 'gcloud', 'unused-permissions'],
    ['.'],
  ],
  'infra/part': [['.'], ['observe'], ['trigger'], ['function']],
  'functions/console/app/ui': [['.'], ['form'], ['data'], ['chart', 'layout', 'overlay', 'value']],
  'functions/console/app/forms': [
    ['back-up', 'cron', 'google-key', 'keyless'],
    ['connection', 'recurring', 'storage'],
  ],
  'functions/console/app/frame': [['menu'], ['palette'], ['.']],
  'functions/console/app/parts': [['.'], ['job', 'mask', 'project', 'report', 'source']],
  'functions/console/app/pages/docs': [
    ['code', 'model', 'samples'],
    ['parts'],
    ['try'],
    ['reference'],
    ['guides', 'search'],
    ['.'],
  ],
  'functions/console/app/pages/restore-wizard': [['mask'], ['.']],
};

for (const [folder, order] of Object.entries(layers)) {
  const folderOf = (path: string): string => dirname(path).slice(folder.length + 1) || '.';
  const layerOf = (path: string): number => order.findIndex((layer) => layer.includes(folderOf(path)));
  const inside = sourcesIn(folder).filter(({ path }) => path !== `${folder}/index.ts`);

  test(`${folder}: every sub-folder has a layer`, () => {
    deepEqual([...new Set(inside.filter(({ path }) => layerOf(path) < 0).map(({ path }) => folderOf(path)))], []);
  });

  test(`${folder}: imports run downward`, () => {
    const upward = inside.flatMap(({ path, imports }) =>
      imports
        .map(({ target }) => target)
        .filter((target) => target.startsWith(`${folder}/`) && folderOf(target) !== folderOf(path))
        .filter((target) => layerOf(target) >= layerOf(path))
        .map((target) => `${path} → ${target}`),
    );
    deepEqual(upward, []);
  });
}

/** Folders of the infrastructure, lowest first; `.` has the stacks and their settings. */
const infraLayers = [
  ['archive', 'bundle', 'part', 'smoke'],
  ['deploy', 'licences', 'workflow'],
  ['.', 'scale'],
  ['preflight'],
  ['local'],
  // Serves a backup by the embedded Firestore of the local stage.
  ['mount'],
  ['pull'],
  ['cli'],
  ['release'],
];

test('infra: imports of its folders run downward', () => {
  const nodeOf = (path: string): string => {
    const [first = '', ...rest] = path.slice('infra/'.length).split('/');
    return rest.length > 0 ? first : '.';
  };
  const layerOf = (path: string): number => infraLayers.findIndex((layer) => layer.includes(nodeOf(path)));
  const upward = sourcesIn('infra').flatMap(({ path, imports }) =>
    imports
      .filter(({ target }) => target.startsWith('infra/') && nodeOf(target) !== nodeOf(path))
      .filter(({ target }) => layerOf(target) < 0 || layerOf(target) >= layerOf(path))
      .map(({ target }) => `${path} → ${target}`),
  );
  deepEqual(upward, []);
});

// Where no layers are listed, the order follows from the imports, as long as there is one.
test('layers: no sub-folders of a folder import each other in a circle', () => {
  const links = sourcesIn('shared', 'functions', 'infra').flatMap(({ path, imports }) =>
    imports.map(({ target }) => ({ path, target })),
  );
  const parents = new Map<string, Map<string, Set<string>>>();
  for (const { path, target } of links) {
    const [from, to] = [path.split('/'), target.split('/')];
    const shared = from.findIndex((name, n) => name !== to[n]);
    // A file of the folder itself may be below its sub-folders or above them.
    if (shared < 1 || shared >= from.length - 1 || shared >= to.length - 1) continue;
    const parent = from.slice(0, shared).join('/');
    const children = parents.get(parent) ?? new Map<string, Set<string>>();
    parents.set(parent, children);
    const [child = '', other = ''] = [from[shared], to[shared]];
    children.set(child, (children.get(child) ?? new Set()).add(other));
  }
  ok(parents.size > 20, `${parents.size} folders with sub-folders that import each other`);
  const isReached = (children: Map<string, Set<string>>, from: string, to: string, seen = new Set<string>()): boolean =>
    [...(children.get(from) ?? [])].some((next) => {
      if (next === to) return true;
      if (seen.has(next)) return false;
      return isReached(children, next, to, seen.add(next));
    });
  deepEqual(
    [...parents].flatMap(([parent, children]) =>
      [...children.keys()].filter((child) => isReached(children, child, child)).map((child) => `${parent}/${child}`),
    ),
    [],
  );
});

/** A base of point-in-time recovery is a backup of its own, and is started like any other. */
const startsBackups = ['shared/pitr/base/base-backup.ts'];

test('layers: what reads stored backups does not import the job that makes them', () => {
  const readers = sourcesIn(
    ...['shared/document', 'shared/erasure', 'shared/overview', 'shared/pitr', 'shared/report', 'shared/restore'],
    ...['shared/restore-test', 'shared/stored-backup'],
  );
  ok(readers.length > 150);
  const importers = readers.filter(({ imports }) => imports.some(({ target }) => target.startsWith('shared/backup/')));
  deepEqual(
    importers.map(({ path }) => path),
    startsBackups,
  );
});

test('layers: no files form an import cycle', () => {
  const graph = new Map(sources.map(({ path, imports }) => [path, imports.map(({ target }) => target)]));
  const done = new Set<string>();
  const circles: string[] = [];
  const visit = (path: string, way: readonly string[]): void => {
    const start = way.indexOf(path);
    if (start >= 0) circles.push([...way.slice(start), path].join(' → '));
    if (start >= 0 || done.has(path)) return;
    for (const target of graph.get(path) ?? []) if (graph.has(target)) visit(target, [...way, path]);
    done.add(path);
  };
  for (const path of graph.keys()) visit(path, []);
  deepEqual(circles, []);
});

/* The app of the console, as functions/console/README.md draws it. */

const app = 'functions/console/app';
const files = sourcesIn(app);

/** Lowest first. Folders of one layer do not import each other. `.` has the addresses and how a page reads its own. */
const consoleLayers = [
  ['.', 'design', 'format'],
  ['ui'],
  ['api'],
  ['data'],
  ['forms', 'frame', 'parts'],
  ['pages'],
  ['router.tsx'],
  ['main.tsx'],
];
const layerOf = (path: string): number => consoleLayers.findIndex((layer) => layer.includes(folderOf(path)));

const folderOf = (path: string): string => {
  const [first = '', ...rest] = path.slice(app.length + 1).split('/');
  return rest.length > 0 || first === 'router.tsx' || first === 'main.tsx' ? first : '.';
};

/** The folder of a page, such as `pages/backup`; undefined for other files. */
const pageOf = (path: string): string | undefined => /\/(pages\/[^/]+)\//.exec(path)?.[1];

const importsWhere = (isWrong: (from: string, to: string) => boolean, from: readonly Source[] = files): readonly string[] =>
  from.flatMap(({ path, imports }) =>
    imports
      .filter(({ target }) => target.startsWith(`${app}/`) && isWrong(path, target))
      .map(({ target }) => `${path} → ${target}`),
  );

test('layers of the console: every folder has a layer', () => {
  ok(files.length > 100);
  deepEqual(
    files.map(({ path }) => path).filter((path) => layerOf(path) < 0),
    [],
  );
});

test('layers of the console: imports run downward', () => {
  deepEqual(
    importsWhere((from, to) => folderOf(to) !== folderOf(from) && layerOf(to) >= layerOf(from)),
    [],
  );
});

test('layers of the console: a page does not import another page', () => {
  deepEqual(
    importsWhere((from, to) => pageOf(from) !== undefined && pageOf(to) !== undefined && pageOf(from) !== pageOf(to)),
    [],
  );
});

test('layers of the console: a file has a name of its own, except the page of each folder', () => {
  const names = Map.groupBy(
    files.map(({ path }) => path).filter((path) => basename(path) !== 'page.tsx'),
    (path) => basename(path),
  );
  deepEqual(
    [...names.values()].filter(({ length }) => length > 1),
    [],
  );
});
