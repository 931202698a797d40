/** Tables are split into row groups and files by size, and every document is in one of them. */
import { deepEqual, equal } from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parquetMetadata, parquetReadObjects } from 'hyparquet';
import { afterAll, test } from 'vitest';
import { ExportFolder } from '../../../../infra/archive/export/export-folder.ts';
import { exportRow, FileNames, parquetFiles, TableSchemas } from '../../../../shared/export-format/index.ts';
import { exportRoot } from '../../../harness/builders/every-value.ts';

const scratch = mkdtempSync(join(tmpdir(), 'export-'));
afterAll(() => rmSync(scratch, { recursive: true }));

const rows = Array.from({ length: 60 }, (_, n) =>
  exportRow(
    { name: `${exportRoot}/users/${n % 3 === 2 ? `a/orders/${n}` : n}`, fields: { n: { integerValue: String(n) } } },
    exportRoot,
  ),
);

/** The numbers in each file, and its row groups. */
const exported = async (waitingBytes: number, fileBytes: number) => {
  const out = join(scratch, `${waitingBytes}-${fileBytes}`);
  const folder = new ExportFolder(out, { force: false });
  const schemas = new TableSchemas();
  for (const row of rows) schemas.add(row);
  const nameOf = (id: string | undefined, part: number): string => `${id}/part-${String(part).padStart(5, '0')}.parquet`;
  const files = parquetFiles(folder, { schemas, waitingBytesMax: waitingBytes, layout: { nameOf, bytesMax: fileBytes } });
  for (const row of rows) files.add(row, 100);
  files.finish();
  folder.finish();
  const tables = new Map<string, { readonly numbers: number[]; readonly groups: number }[]>();
  for (const name of readdirSync(out).sort())
    for (const part of readdirSync(join(out, name)).sort()) {
      const file = Uint8Array.from(readFileSync(join(out, name, part))).buffer;
      const found = (await parquetReadObjects({ file })) as { n: bigint }[];
      const groups = parquetMetadata(file).row_groups.length;
      tables.set(name, [...(tables.get(name) ?? []), { numbers: found.map(({ n }) => Number(n)), groups }]);
    }
  return tables;
};
const numbersOf = (isOrder: boolean): number[] => rows.map((_, n) => n).filter((n) => (n % 3 === 2) === isOrder);

for (const [waitingBytes, fileBytes, files, groups] of [
  [1_000_000, 1_000_000, 1, 1],
  // Each document is a row group, and no file is full.
  [1, 1_000_000, 1, 40],
  // Each row group is a file.
  [1, 1, 40, 40],
] as const)
  test(`parquet files: ${files} files with ${groups} row groups have every document once, in order`, async () => {
    const tables = await exported(waitingBytes, fileBytes);
    deepEqual([...tables.keys()], ['orders', 'users']);
    for (const [name, isOrder] of [
      ['orders', true],
      ['users', false],
    ] as const)
      deepEqual(
        tables.get(name)?.flatMap(({ numbers }) => numbers),
        numbersOf(isOrder),
      );
    const users = tables.get('users') ?? [];
    deepEqual([users.length, users.reduce((sum, file) => sum + file.groups, 0)], [files, groups]);
  });

test('parquet files: the largest table makes room for the others', async () => {
  const tables = await exported(2_000, 1_000_000);
  const groupsOf = (name: string): number => tables.get(name)?.reduce((sum, { groups }) => sum + groups, 0) ?? 0;
  equal(groupsOf('users') + groupsOf('orders') <= 6, true, `${groupsOf('users')} ${groupsOf('orders')}`);
  deepEqual(tables.get('users')?.[0]?.numbers, numbersOf(false));
});

test('file names: ids that a file system would confuse have files of their own, and none leaves the folder', () => {
  const names = new FileNames();
  const ids = ['users', 'Users', '..', '.hidden', 'a/b', 'x'.repeat(1_500), `${'x'.repeat(1_499)}y`, 'CON*'];
  const all = ids.map((id) => names.of(id).toLowerCase());
  equal(new Set(all).size, ids.length);
  deepEqual(
    all.filter((name) => name.startsWith('.') || /[/*\\]/.test(name) || name.length > 140),
    [],
  );
  equal(names.of('users'), 'users');
});

test('export folder: a failed export leaves nothing', () => {
  const out = join(scratch, 'failed');
  const folder = new ExportFolder(out, { force: false });
  folder.append('a/b', Buffer.alloc(5 << 20));
  equal(existsSync(join(`${out}.partial`, 'a/b')), true);
  folder.abort();
  deepEqual([existsSync(out), existsSync(`${out}.partial`)], [false, false]);
});
