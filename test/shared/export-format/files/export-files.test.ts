/** Files end once they are large, or once memory is needed, and every document is in one of them. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'vitest';
import {
  csvFiles,
  type EndedPart,
  type ExportFiles,
  type ExportSink,
  exportRow,
  type FileLayout,
  googleFiles,
  lineFiles,
  plainLine,
  TableSchemas,
} from '../../../../shared/export-format/index.ts';
import { exportRoot } from '../../../harness/builders/every-value.ts';
import { parseCsv } from '../../../harness/builders/parse-csv.ts';

const rows = Array.from({ length: 40 }, (_, n) =>
  exportRow(
    { name: `${exportRoot}/users/${n % 4 === 3 ? `a/orders/${n}` : n}`, fields: { n: { integerValue: String(n) } } },
    exportRoot,
  ),
);
const schemas = new TableSchemas();
for (const row of rows) schemas.add(row);

class MemorySink implements ExportSink {
  readonly texts = new Map<string, string>();
  readonly ended = new Map<string, EndedPart>();

  append(file: string, bytes: Uint8Array): void {
    ok(!this.ended.has(file), `${file} has ended`);
    this.texts.set(file, (this.texts.get(file) ?? '') + Buffer.from(bytes).toString('latin1'));
  }

  end(file: string, part: EndedPart): void {
    ok(!this.ended.has(file), `${file} ends twice`);
    this.ended.set(file, part);
  }
}

const layoutOf = (bytesMax: number): FileLayout => ({ bytesMax, nameOf: (id = 'all', part) => `${id}/${part}` });
const formats: Readonly<Record<string, (sink: ExportSink, layout: FileLayout) => ExportFiles>> = {
  ndjson: (sink, layout) => lineFiles(sink, layout, plainLine),
  csv: (sink, layout) => csvFiles(sink, { layout, schemas }),
  google: (sink, layout) => googleFiles(sink, { layout }),
};

for (const [format, open] of Object.entries(formats)) {
  test(`${format} files: each part is counted, and none is larger than a document beyond its limit`, () => {
    const sink = new MemorySink();
    const files = open(sink, layoutOf(120));
    for (const row of rows) files.add(row, 100);
    files.finish();
    deepEqual([...sink.ended.keys()].sort(), [...sink.texts.keys()].sort());
    ok(sink.ended.size > 4);
    equal(
      [...sink.ended.values()].reduce((sum, { documents }) => sum + documents, 0),
      rows.length,
    );
    for (const [file, text] of sink.texts) ok(text.length < 600, `${file} has ${text.length} bytes`);
  });

  test(`${format} files: the largest file ends when memory is needed, and its table goes on in another one`, () => {
    const sink = new MemorySink();
    const files = open(sink, layoutOf(1 << 20));
    for (const row of rows.slice(0, 20)) files.add(row, 100);
    files.endLargest();
    const id = format === 'ndjson' ? 'all' : 'users';
    deepEqual([...sink.ended.keys()], [`${id}/1`]);
    for (const row of rows.slice(20)) files.add(row, 100);
    files.finish();
    ok(sink.ended.has(`${id}/2`));
  });
}

test('csv files: every part has the header', () => {
  const sink = new MemorySink();
  const files = csvFiles(sink, { layout: layoutOf(200), schemas });
  for (const row of rows) files.add(row, 100);
  files.finish();
  const found = [...sink.texts].flatMap(([, text]) => {
    const [header, ...lines] = parseCsv(text);
    deepEqual(header, ['__path__', '__id__', '__createTime__', '__updateTime__', 'n']);
    return lines.map((cells) => Number(cells[4]));
  });
  deepEqual(
    found.sort((a, b) => a - b),
    rows.map((_, n) => n),
  );
});
