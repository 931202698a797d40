/** Inside a folder, imports run downward only: sub-folders form layers, lowest first, and no files form an import cycle. */
import { deepEqual } from 'node:assert/strict';
import { dirname } from 'node:path';
import { test } from 'vitest';
import { sources, sourcesIn } from '../harness/law/source-files.ts';

/** Sub-folders of one layer do not import each other. `.` is the folder itself; its index.ts may import everything. */
const layers: Readonly<Record<string, readonly (readonly string[])[]>> = {
  'shared/backup': [
    ['cursor', 'model'],
    ['encryption', 'removal'],
    ['.'],
    ['read'],
    ['browse', 'diff', 'incremental', 'verify'],
    ['steps'],
    ['copy', 'end', 'start'],
    ['seal'],
    ['import'],
  ],
  'shared/restore': [
    ['.', 'read'],
    ['model'],
    ['point-in-time', 'scope'],
    ['check', 'end', 'start'],
    ['dry-run', 'seal', 'steps', 'write'],
  ],
  'shared/pitr': [
    ['.', 'model'],
    ['batch', 'timeline'],
    ['base', 'listen', 'point', 'view'],
    ['prove', 'settings'],
    ['capture', 'removal'],
  ],
  'shared/webhook': [['model'], ['match', 'purge', 'request', 'sample'], ['.', 'deliver'], ['api'], ['disable', 'replay']],
  'shared/firestore': [['grpc', 'names'], ['.', 'wire'], ['document', 'listen', 'read'], ['write']],
  'shared/destination': [['.', 'model', 'store'], ['store/gcs', 'store/s3'], ['open'], ['probe'], ['api']],
  'shared/schedule': [['.', 'cron', 'model'], ['api'], ['sync'], ['lifecycle', 'run']],
  'shared/archive': [['name'], ['primitives'], ['key', 'leaf', 'object'], ['page'], ['chunk', 'manifest'], ['.', 'reader']],
  'shared/platform': [['.'], ['async', 'http'], ['aws-client'], ['observe'], ['aws', 'table']],
  'shared/contract': [['.'], ['models', 'runtime'], ['endpoints', 'events'], ['openapi']],
  'shared/organization': [['model'], ['member'], ['invitation'], ['.']],
  'shared/project': [['.'], ['auth-users']],
  'infra/local': [
    ['base', 'engines/firestore/auth-users', 'engines/firestore/base'],
    ['cloudformation', 'engines/firestore/proto', 'engines/identity', 'engines/shared', 'lambda'],
    [
      ...['engines/dynamodb', 'engines/fauxqs', 'engines/firestore/faults', 'engines/firestore/grpc', 'engines/firestore/value'],
      ...['engines/gcs', 'engines/kms', 'engines/step-functions', 'event-source', 'gateway', 'iam'],
    ],
    ['engines/firestore/indexes'],
    ['engines', 'engines/firestore/storage', 'engines/scheduler'],
    ['aws', 'engines/firestore/query', 'engines/firestore/web', 'engines/firestore/write'],
    ['engines/firestore/documents', 'engines/firestore/listen', 'engines/firestore/seed'],
    ['engines/firestore'],
    ['boot'],
    ['cloud', 'demo', 'unused-permissions'],
    ['.'],
  ],
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
