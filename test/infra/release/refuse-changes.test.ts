import { doesNotThrow, throws } from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'vitest';
import { refuseChanges } from '../../../infra/release/refuse-changes.ts';

test('release: a tree with changes is refused, which are named', () => {
  const dir = mkdtempSync(join(tmpdir(), 'tree-'));
  execFileSync('git', ['init', '--quiet'], { cwd: dir });
  doesNotThrow(() => refuseChanges(dir));
  writeFileSync(join(dir, 'forgotten.ts'), '');
  throws(() => refuseChanges(dir), /not committed:\n\?\? forgotten\.ts\nCommit or stash/);
});
