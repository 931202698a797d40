/** infra/deploy.md is short, complete and true. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { describe, test } from 'vitest';
import { type Config, readConfig, settingNames } from '../../infra/config.ts';
import { usage } from '../../infra/smoke/options.ts';

const guide = readFileSync(new URL('../../infra/deploy.md', import.meta.url), 'utf8');
const sectionOf = (heading: string): string => guide.split(`\n${heading}\n`)[1]?.split(/\n#+ /)[0] ?? '';
const deploy = sectionOf('## Deploy');
const namesIn = (text: string): string[] => [...text.matchAll(/`"?(\w+)"?[`:]/g)].map(([, name = '']) => name);

test('deploy guide: the steps take at most ten lines of at most 140 characters', () => {
  const lines = deploy.split('\n').filter((line) => line.trim() !== '');
  assert.ok(lines.length > 5 && lines.length <= 10, `${lines.length} lines`);
  for (const line of lines) assert.ok(line.length <= 140, line);
});

describe('settings', () => {
  const rows = sectionOf('## Settings')
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => line.slice(2, -2).split(' | '));

  test('deploy guide: the table has every setting exactly once', () =>
    assert.deepEqual(rows.flatMap(([names = '']) => namesIn(names)).sort(), [...settingNames].sort()));

  test('deploy guide: stated defaults are the defaults', () => {
    const defaults = readConfig({});
    const stated = rows.flatMap(([names = '', value = '']) => {
      const [name, ...more] = namesIn(names);
      return name && more.length === 0 && /^(`.*`|[\d,]+)$/.test(value) ? [[name, value.replace(/[`,]/g, '')] as const] : [];
    });
    assert.ok(stated.length >= 4);
    for (const [name, value] of stated) assert.equal(value, String(defaults[name as keyof Config]), name);
  });

  test('deploy guide: the steps name only settings that exist', () => {
    const told = namesIn(deploy).filter((name) => /^[a-z]+([A-Z][a-z]+)+$/.test(name));
    assert.ok(told.includes('identityClientId'));
    assert.deepEqual(
      told.filter((name) => !settingNames.includes(name)),
      [],
    );
  });
});

test('deploy guide: the smoke command explains every variable that is named', () => {
  const named = new Set(guide.match(/\bSMOKE_\w+/g));
  assert.ok(named.size >= 4);
  for (const name of named) assert.ok(usage.includes(`  ${name} `), name);
});

describe('disaster guide', () => {
  const text = readFileSync(new URL('../../infra/disaster.md', import.meta.url), 'utf8');
  const rows = text.split('\n').filter((line) => /^\| (?!Lost|-)/.test(line));

  test('has a row for everything that can be lost, which says whether a test rehearses it', () => {
    for (const thing of ['document', 'database', 'bucket', 'data key', 'table', 'region', 'account'])
      assert.equal(rows.filter((row) => new RegExp(`^\\| (a|the)( AWS)? ${thing}\\b`).test(row)).length, 1, thing);
    for (const row of rows) assert.match(row.split(' | ')[3] ?? '', /`test\/|none/, row);
  });

  test('names only files that exist', () => {
    const files = [...text.matchAll(/`((?:infra|shared|test)\/[\w./-]+)`/g)].map(([, file = '']) => file);
    assert.ok(files.length > 15);
    for (const file of files) assert.ok(existsSync(new URL(`../../${file}`, import.meta.url)), file);
  });
});
